(* certify-every-n: does the network of a file compute its formula on words of every length, or of some?

   `Checker.check_file` is extracted from proofs/coq/checker/check_file.v. If it says `true` of lengths, a model, a text and a
   formula, then what the text says is a network that computes the formula, for every n among the lengths, every word and
   every position: this is the theorem check_file_computes. The rest of this program offers it a model for the text of a
   file; whether this is the model that stands there, `check_file` decides. *)

open Outcome

let usage = "usage: certify-every-n [--formula F] [--min-n N] [--max-n N] FILE..., or --canonical FILE..."
let most_words = 1 lsl 27 (* of memory: 1 GiB where a word has 8 bytes *)
let most_work = 2. ** 32. (* words that one file makes the program allocate, if only for a moment: about a minute *)
let most_shown = 2000
let every_length = "every n" (* as lengths_text has it *)

exception Too_costly

(* While a file is judged, the words allocated before it. *)
let judging = ref None

let check_costs () =
  let found = Gc.quick_stat () in
  match !judging with
  | Some before when found.heap_words > most_words || found.minor_words -. before > most_work -> raise Too_costly
  | _ -> ()

(* What is asked of each file: its own formula, another one, or the model in its one spelling. *)
type question = Own | Asked of string | Canonical

(* The command line: the least and the greatest length in digits, where they are given. *)
type asked = { question : question; least : string option; greatest : string option; files : string list }

(* A verdict, its exit status and what is to be said. *)
type verdict = { word : string; status : int; text : string }

let read_file path =
  let channel = open_in_bin path in
  Fun.protect ~finally:(fun () -> close_in_noerr channel) (fun () ->
      let found = Buffer.create 65536 and piece = Bytes.create 65536 in
      let rec go () =
        let length = input channel piece 0 (Bytes.length piece) in
        Buffer.add_subbytes found piece 0 length;
        if length > 0 && Buffer.length found <= Json.most_bytes then go ()
      in
      go ();
      Buffer.contents found)

let find_claim (model : Model.t) question =
  match question, model.claim with
  | Asked text, _ ->
    (try Formulas.((asked model.scope text).node) with
     | Malformed problem -> malformed "--formula: %s" problem
     | Unsupported problem -> unsupported "--formula: %s" problem)
  | _, Some claim -> claim
  | _, None -> malformed "output: its meaning is not a truth, expected the truth of a formula, or --formula"

let briefly text = if String.length text <= most_shown then text else String.sub text 0 200 ^ "..."

(* A length on the command line, at least `first`. *)
let length option first digits =
  let number = if Numbers.is_digits digits && String.length digits <= 9 then int_of_string digits else 0 in
  if number < first || number > Numbers.most_unary then
    malformed "%s: found %s, expected %d to %d" option (quote digits) first Numbers.most_unary;
  number

let lengths asked =
  let least = Option.fold ~none:1 ~some:(length "--min-n" 1) asked.least in
  let greatest = Option.map (length "--max-n" least) asked.greatest in
  { Checker.least_length = Numbers.unary least; greatest_length = Option.map Numbers.unary greatest }

let decide lengths (model : Model.t) text question =
  let written = Checker.model_text model.model in
  Model.check_canonical text (Texts.of_coq written);
  if not (Checker.is_whole model.model) then unsupported "its text does not say all of the network";
  let claim = find_claim model question in
  let formula = Checker.formula_text model.model claim in
  let shown = briefly (Texts.of_coq formula) in
  let among = Texts.of_coq (Checker.lengths_text lengths) in
  if Checker.check_file lengths model.model claim (Texts.to_coq text) formula then
    let letters = String.concat ", " (map Showing.letter model.model.model_letters) in
    let text = Printf.sprintf "for %s, every word of length n over {%s} and every position: \
                               the output is exactly 1 if %s, else 0%s" among letters shown
        (Showing.definitions model.model) in
    { word = "proved"; status = 0; text }
  else
    let { Checker.model_network; model_meanings; _ } = model.model in
    let place = Showing.refusal model (Checker.find_refusal_for lengths model_network model_meanings claim) in
    let about = if among = every_length then shown else Printf.sprintf "%s, for %s" shown among in
    { word = "unproved"; status = 3;
      text = Printf.sprintf "%s: the checker does not accept this network, which does not make it wrong: %s"
          about place }

let answer lengths path question =
  try
    let model, text = Model.read "file" (read_file path) in
    if question = Canonical then { word = ""; status = 0; text = Texts.of_coq (Checker.model_text model.model) }
    else decide lengths model (Lazy.force text) question
  with
  | Malformed text -> { word = "malformed"; status = 2; text }
  | Unsupported text -> { word = "unsupported"; status = 3; text }
  | Sys_error problem -> { word = "malformed"; status = 2; text = printable problem }
  | Stack_overflow | Out_of_memory | Too_costly ->
    { word = "unknown"; status = 3;
      text = "the check needs more memory than 1 GiB, a larger stack, or more work than 2^32 words of allocation" }

let judge lengths path question =
  judging := Some (Gc.minor_words ());
  let verdict = answer lengths path question in
  judging := None;
  if verdict.word = "unknown" then Gc.compact (); (* else the next file would pay for this one's memory *)
  verdict

let rec arguments asked = function
  | "--formula" :: formula :: rest when asked.question = Own -> arguments { asked with question = Asked formula } rest
  | "--canonical" :: rest when asked.question = Own -> arguments { asked with question = Canonical } rest
  | "--min-n" :: digits :: rest when asked.least = None -> arguments { asked with least = Some digits } rest
  | "--max-n" :: digits :: rest when asked.greatest = None -> arguments { asked with greatest = Some digits } rest
  | word :: _ when word <> "" && word.[0] = '-' -> { asked with files = [] }
  | file :: rest -> arguments { asked with files = file :: asked.files } rest
  | [] when asked.question = Canonical && (asked.least, asked.greatest) <> (None, None) -> { asked with files = [] }
  | [] -> { asked with files = List.rev asked.files }

let gravest a b = if a = 2 || b = 2 then 2 else max a b

(* In place of a model's text there is no verdict: this goes elsewhere. *)
let say question path verdict =
  if verdict.word = "" then print_string verdict.text
  else Printf.fprintf (if question = Canonical then stderr else stdout) "%-11s %s: %s\n" verdict.word (printable path)
      verdict.text;
  flush stdout

let main () =
  let nothing = { question = Own; least = None; greatest = None; files = [] } in
  let asked = arguments nothing (List.tl (Array.to_list Sys.argv)) in
  let stop problem = prerr_endline problem; exit 2 in
  if asked.files = [] then stop usage;
  let lengths = try lengths asked with Malformed problem -> stop ("certify-every-n: " ^ problem) in
  ignore (Gc.create_alarm check_costs);
  let statuses = map (fun path ->
      let verdict = judge lengths path asked.question in
      say asked.question path verdict;
      verdict.status) asked.files in
  List.fold_left gravest 0 statuses

let () =
  match main () with
  | status -> exit status
  | exception Sys_error problem -> prerr_endline ("certify-every-n: the output cannot be written: " ^ problem); exit 2
