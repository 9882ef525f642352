(* certify-every-n: does the network of a file compute its formula on words of every length, or of some?

   verdicts.ml decides. *)

open Outcome
open Verdicts

let usage = "usage: certify-every-n [--formula F] [--min-n N] [--max-n N] FILE..., or --canonical FILE..."
let most_words = 1 lsl 27 (* of memory: 1 GiB where a word has 8 bytes *)
let most_work = 2. ** 32. (* words allocated for one file, in total: about a minute *)

(* The words allocated before the current file. *)
let judging = ref None

let check_costs () =
  let found = Gc.quick_stat () in
  match !judging with
  | Some before when found.heap_words > most_words || found.minor_words -. before > most_work -> raise Too_costly
  | _ -> ()

(* The command line: the least and the greatest length in digits, if given. *)
type asked = { question : question; least : string option; greatest : string option; files : string list }

let read_file path =
  let channel = open_in_bin path in
  Fun.protect ~finally:(fun () -> close_in_noerr channel) (fun () -> Json.read_all channel)

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

let judge lengths path question =
  judging := Some (Gc.minor_words ());
  let verdict = answer lengths (fun () -> read_file path) question in
  judging := None;
  if verdict.word = "unknown" then Gc.compact (); (* so that the memory is not charged to the next file *)
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

(* With --canonical a verdict is not output, which is the text of a model: it goes to standard error. *)
let say question path verdict =
  if verdict.word = "" then print_string verdict.text
  else output_string (if question = Canonical then stderr else stdout) (line path verdict ^ "\n");
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
