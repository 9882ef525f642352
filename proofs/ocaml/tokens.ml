(* The tokens of formulas and expressions. *)

open Outcome

type token =
  | Word of string  (* letters, digits and _ *)
  | Digits of string
  | Symbol of string  (* Q_a, Q['a'] *)
  | Reference of string  (* $3, without the $ *)
  | Sign of string
  | End

type t = { text : string; mutable place : int; mutable token : token; mutable start : int; mutable nesting : int }

let deepest = 1000

let fail tokens expected =
  let found = match tokens.token with
    | End -> "the end"
    | _ -> quote (String.sub tokens.text tokens.start (tokens.place - tokens.start))
  in
  malformed "column %d: found %s, expected %s" (tokens.start + 1) found expected

let is_letter c = (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z')
let is_digit c = c >= '0' && c <= '9'
let is_of_word c = is_letter c || is_digit c || c = '_'

(* The longest first. *)
let signs =
  [ "#<["; "#>["; "<->"; "->"; "<="; ">="; "=="; "!="; "//"; "<"; ">"; "!"; "&"; "|"; "("; ")"; "["; "]"; "+"; "-";
    "*"; "/"; "%"; "^"; ","; "="; ";" ]

(* With ! directly after them these are operators in other languages: not names here. *)
let strong = [ "since"; "until"; "prev"; "next" ]

let starts_at text place part =
  place + String.length part <= String.length text && String.sub text place (String.length part) = part

let end_of_run text place fits =
  let k = ref place in
  while !k < String.length text && fits text.[!k] do incr k done;
  !k

(* The symbol of Q['...'] from the index after the first quote, and the index after the closing bracket. *)
let quoted_symbol tokens place =
  let found = Buffer.create 8 in
  let rec go k =
    if k >= String.length tokens.text then (tokens.token <- End; fail tokens "a symbol such as Q['a']")
    else match tokens.text.[k] with
      | '\'' when starts_at tokens.text k "']" -> k + 2
      | '\\' when starts_at tokens.text k "\\'" || starts_at tokens.text k "\\\\" ->
        Buffer.add_char found tokens.text.[k + 1]; go (k + 2)
      | '\'' | '\\' -> tokens.token <- Sign "'"; tokens.place <- k + 1; fail tokens "a symbol such as Q['a']"
      | c -> Buffer.add_char found c; go (k + 1)
  in
  let stop = go place in
  (Buffer.contents found, stop)

let scan tokens =
  let text = tokens.text and start = tokens.start in
  let part stop = String.sub text start (stop - start) in
  let c = text.[start] in
  if starts_at text start "Q['" then
    let symbol, stop = quoted_symbol tokens (start + 3) in
    (Symbol symbol, stop)
  else if is_letter c then begin
    let stop = end_of_run text start is_of_word in
    let word = part stop in
    if List.mem word strong && starts_at text stop "!" && not (starts_at text stop "!=") then
      (Word (part (stop + 1)), stop + 1)
    else if starts_at word 0 "Q_" && String.length word > 2
    then (Symbol (String.sub word 2 (String.length word - 2)), stop) else (Word word, stop)
  end
  else if is_digit c then
    let stop = end_of_run text start is_digit in
    (Digits (part stop), stop)
  else if c = '$' then
    let stop = end_of_run text (start + 1) is_digit in
    (Reference (String.sub text (start + 1) (stop - start - 1)), stop)
  else
    match List.find_opt (starts_at text start) signs with
    | Some sign -> (Sign sign, start + String.length sign)
    | None -> tokens.token <- Sign "?"; tokens.place <- start + 1; fail tokens "a word of the language"

let advance tokens =
  let text = tokens.text in
  tokens.start <- end_of_run text tokens.place (fun c -> c = ' ' || c = '\t' || c = '\n' || c = '\r');
  if tokens.start >= String.length text then (tokens.token <- End; tokens.place <- tokens.start)
  else begin
    tokens.place <- tokens.start;
    let token, place = scan tokens in
    tokens.token <- token;
    tokens.place <- place
  end

let of_text text =
  let tokens = { text; place = 0; token = End; start = 0; nesting = 0 } in
  advance tokens;
  tokens

let is tokens sign = tokens.token = Sign sign
let take tokens sign = is tokens sign && (advance tokens; true)
let expect tokens sign = if not (take tokens sign) then fail tokens (Printf.sprintf "'%s'" sign)
let take_word tokens word = tokens.token = Word word && (advance tokens; true)
let expect_end tokens what = if tokens.token <> End then fail tokens ("the end of the " ^ what)

(* Whether a name and = come next. *)
let is_definition tokens =
  let ahead = { tokens with nesting = 0 } in
  match tokens.token with
  | Word _ -> advance ahead; is ahead "="
  | _ -> false

(* The result of [read], one level deeper. *)
let nested tokens read =
  tokens.nesting <- tokens.nesting + 1;
  if tokens.nesting > deepest then malformed "nested more than %d deep" deepest;
  let found = read () in
  tokens.nesting <- tokens.nesting - 1;
  found

(* Operands with left-associative operators. *)
let left_to_right tokens operators operand combine =
  let rec go left =
    match tokens.token with
    | Sign sign | Word sign when List.mem sign operators ->
      let column = tokens.start + 1 in
      advance tokens;
      let right = operand () in
      go (combine column sign left right)
    | _ -> left
  in
  go (operand ())
