(* A strict JSON reader: UTF-8, different keys in an object, integers as the only numbers, limits on everything. *)

open Outcome

type t =
  | Object of (string * t) list
  | List of t list
  | String of string
  | Integer of string  (* its digits, with a sign *)
  | Bool of bool
  | Null

let most_bytes = 16_000_000

(* The contents of a channel, cut slightly above the limit of a file. *)
let read_all channel =
  let found = Buffer.create 65536 and piece = Bytes.create 65536 in
  let rec go () =
    let length = input channel piece 0 (Bytes.length piece) in
    Buffer.add_subbytes found piece 0 length;
    if length > 0 && Buffer.length found <= most_bytes then go ()
  in
  go ();
  Buffer.contents found
let most_values = 1 lsl 20
let deepest = 40
let most_digits = 1000

type reader = { text : string; where : string; mutable place : int; mutable values : int }

let line_and_column reader =
  let line = ref 1 and start = ref 0 in
  for k = 0 to min reader.place (String.length reader.text) - 1 do
    if reader.text.[k] = '\n' then (incr line; start := k + 1)
  done;
  (!line, reader.place - !start + 1)

let fail reader expected =
  let line, column = line_and_column reader in
  malformed "%s, line %d, column %d: not JSON: expected %s" reader.where line column expected

let peek reader = if reader.place < String.length reader.text then reader.text.[reader.place] else '\000'
let skip reader = reader.place <- reader.place + 1

let rec skip_space reader =
  match peek reader with
  | ' ' | '\t' | '\n' | '\r' -> skip reader; skip_space reader
  | _ -> ()

let expect reader c =
  if peek reader = c then skip reader else fail reader (Printf.sprintf "'%c'" c)

let word reader text value =
  let length = String.length text in
  if reader.place + length <= String.length reader.text && String.sub reader.text reader.place length = text
  then (reader.place <- reader.place + length; value)
  else fail reader "a value"

(* ---- strings ---- *)

let hexadecimal reader =
  let digit () =
    let c = peek reader in
    skip reader;
    match c with
    | '0' .. '9' -> Char.code c - 48
    | 'a' .. 'f' -> Char.code c - 87
    | 'A' .. 'F' -> Char.code c - 55
    | _ -> fail reader "four hexadecimal digits"
  in
  let a = digit () in let b = digit () in let c = digit () in let d = digit () in
  (((a * 16) + b) * 16 + c) * 16 + d

(* The character of \uXXXX, or of a pair of them. *)
let escaped_character reader =
  let code = hexadecimal reader in
  if code < 0xD800 || code > 0xDFFF then code
  else if code > 0xDBFF || peek reader <> '\\' then fail reader "Unicode text, found a lone surrogate"
  else begin
    skip reader; expect reader 'u';
    let low = hexadecimal reader in
    if low < 0xDC00 || low > 0xDFFF then fail reader "Unicode text, found a lone surrogate"
    else 0x10000 + ((code - 0xD800) lsl 10) + (low - 0xDC00)
  end

let escape reader found =
  let c = peek reader in
  skip reader;
  match c with
  | '"' | '\\' | '/' -> Buffer.add_char found c
  | 'b' -> Buffer.add_char found '\b'
  | 'f' -> Buffer.add_char found '\012'
  | 'n' -> Buffer.add_char found '\n'
  | 'r' -> Buffer.add_char found '\r'
  | 't' -> Buffer.add_char found '\t'
  | 'u' -> Buffer.add_utf_8_uchar found (Uchar.of_int (escaped_character reader))
  | _ -> fail reader "an escape such as \\n"

let string reader =
  expect reader '"';
  let found = Buffer.create 16 in
  let rec go () =
    if reader.place >= String.length reader.text then fail reader "'\"'";
    match reader.text.[reader.place] with
    | '"' -> skip reader
    | '\\' -> skip reader; escape reader found; go ()
    | c when c < ' ' -> fail reader "no control character in a string"
    | c -> Buffer.add_char found c; skip reader; go ()
  in
  go ();
  Buffer.contents found

(* ---- numbers ---- *)

let integer reader =
  let start = reader.place in
  if peek reader = '-' then skip reader;
  let first = reader.place in
  while (match peek reader with '0' .. '9' -> true | _ -> false) do skip reader done;
  let digits = reader.place - first in
  if digits = 0 then fail reader "a value";
  if digits > 1 && reader.text.[first] = '0' then (reader.place <- first + 1; fail reader "no more digits after 0");
  if digits > most_digits then
    malformed "%s: an integer of %d digits, expected at most %d" reader.where digits most_digits;
  (match peek reader with
   | '.' | 'e' | 'E' -> malformed "%s: a floating-point number, expected an exact rational such as \"1/3\"" reader.where
   | _ -> ());
  Integer (String.sub reader.text start (reader.place - start))

(* ---- values ---- *)

let check_keys reader fields =
  let seen = Hashtbl.create 16 in
  List.iter (fun (key, _) ->
      if Hashtbl.mem seen key then
        malformed "%s: key %s occurs twice in one object, expected once" reader.where (quote key);
      Hashtbl.add seen key ()) fields

let rec value reader depth =
  if depth > deepest then
    malformed "%s: brackets nested deeper than %d, as no model has" reader.where deepest;
  reader.values <- reader.values + 1;
  if reader.values > most_values then malformed "%s: more than %d values" reader.where most_values;
  skip_space reader;
  let found =
    match peek reader with
    | '{' ->
      let fields = sequence reader '}' (fun () -> field reader depth) in
      check_keys reader fields;
      Object fields
    | '[' -> List (sequence reader ']' (fun () -> value reader (depth + 1)))
    | '"' -> String (string reader)
    | 't' -> word reader "true" (Bool true)
    | 'f' -> word reader "false" (Bool false)
    | 'n' -> word reader "null" Null
    | 'N' | 'I' -> malformed "%s: a constant that is no number, expected an exact rational such as \"1/3\"" reader.where
    | _ -> integer reader
  in
  skip_space reader;
  found

and field reader depth =
  skip_space reader;
  let key = string reader in
  skip_space reader; expect reader ':';
  (key, value reader (depth + 1))

(* The items between two brackets, separated by commas; the first bracket is the next character. *)
and sequence : 'a. reader -> char -> (unit -> 'a) -> 'a list = fun reader closing item ->
  skip reader; skip_space reader;
  if peek reader = closing then (skip reader; [])
  else begin
    let rec go found =
      let found = item () :: found in
      if peek reader = ',' then (skip reader; go found) else (expect reader closing; List.rev found)
    in
    go []
  end

(* ---- texts ---- *)

let check_utf_8 text where =
  let length = String.length text in
  let byte k = if k < length then Char.code text.[k] else 0 in
  let follows k least most = let b = byte k in b >= least && b <= most in
  let rec go k =
    if k < length then begin
      let b = byte k in
      let tail = follows (k + 1) 0x80 0xBF in
      let tails = tail && follows (k + 2) 0x80 0xBF in
      if b < 0x80 then go (k + 1)
      else if b >= 0xC2 && b <= 0xDF && tail then go (k + 2)
      else if b >= 0xE0 && b <= 0xEF && tails && (b > 0xE0 || byte (k + 1) >= 0xA0)
              && (b <> 0xED || byte (k + 1) <= 0x9F) then go (k + 3)
      else if b >= 0xF0 && b <= 0xF4 && tails && follows (k + 3) 0x80 0xBF && (b > 0xF0 || byte (k + 1) >= 0x90)
              && (b < 0xF4 || byte (k + 1) <= 0x8F) then go (k + 4)
      else malformed "%s: byte %d is not UTF-8 text" where (k + 1)
    end
  in
  go 0

let parse text where =
  if String.length text > most_bytes then malformed "%s: longer than %d bytes" where most_bytes;
  check_utf_8 text where;
  let mark = "\xEF\xBB\xBF" in
  let start = if String.length text >= 3 && String.sub text 0 3 = mark then 3 else 0 in
  let reader = { text; where; place = start; values = 0 } in
  let found = value reader 0 in
  if reader.place < String.length text then fail reader "the end of the file";
  found

(* ---- writing ---- *)

(* The code of the character at a place of a text in UTF-8, and how many bytes it has. *)
let character text k =
  let b = Char.code text.[k] in
  let tail j = Char.code text.[k + j] land 0x3F in
  if b < 0x80 then (b, 1)
  else if b < 0xE0 then (((b land 0x1F) lsl 6) lor tail 1, 2)
  else if b < 0xF0 then (((b land 0x0F) lsl 12) lor (tail 1 lsl 6) lor tail 2, 3)
  else (((b land 0x07) lsl 18) lor (tail 1 lsl 12) lor (tail 2 lsl 6) lor tail 3, 4)

(* The canonical form of a text, without its quotes, in ASCII. *)
let spelled text =
  let found = Buffer.create (String.length text) in
  let unit_ code = Buffer.add_string found (Printf.sprintf "\\u%04x" code) in
  let rec go k =
    if k < String.length text then begin
      let code, length = character text k in
      (match text.[k] with
       | '"' -> Buffer.add_string found "\\\""
       | '\\' -> Buffer.add_string found "\\\\"
       | '\b' -> Buffer.add_string found "\\b"
       | '\012' -> Buffer.add_string found "\\f"
       | '\n' -> Buffer.add_string found "\\n"
       | '\r' -> Buffer.add_string found "\\r"
       | '\t' -> Buffer.add_string found "\\t"
       | ' ' .. '~' as c -> Buffer.add_char found c
       | _ when code < 0x10000 -> unit_ code
       | _ -> unit_ (0xD800 + ((code - 0x10000) lsr 10)); unit_ (0xDC00 + ((code - 0x10000) land 0x3FF)));
      go (k + length)
    end
  in
  go 0;
  Buffer.contents found
