(* certify-check: is the claim of a certificate proved?

   verdicts.ml decides. Each file has its own process, with limits of memory and time that the system enforces; its
   answer is used only if it terminates normally. *)

open Outcome
open Verdicts

let usage = "usage: certify-check [--formula F] [--predicate D]... [--alphabet A] [--min-n N] [--max-n N] [--regime R] \
             [--causal] [--strict] [--work N] FILE..., or --canonical FILE..."
let seconds = 120
let kilobytes = 4_000_000 (* of address space, including the stack *)
let most_work = 100
let child = "--within-limits"

type arguments = { asked : Requests.t; work : int; files : string list }

let read_file path =
  let channel = if path = "-" then stdin else open_in_bin path in
  set_binary_mode_in channel true;
  Json.read_all channel

(* ---- processes ---- *)

(* This program with limits of the system. *)
let within_limits arguments path options =
  let script = Printf.sprintf "ulimit -v %d; ulimit -t %d; ulimit -s $(ulimit -H -s) 2>/dev/null; exec \"$@\""
      (kilobytes * arguments.work) (seconds * arguments.work) in
  let command = Array.of_list ([ "/bin/sh"; "-c"; script; "sh"; Sys.executable_name; child ] @ options @ [ "--"; path ]) in
  let channel = Unix.open_process_args_in "/bin/sh" command in
  let found = Json.read_all channel in
  let lines = String.split_on_char '\n' found in
  let said = List.rev (match List.rev lines with "" :: rest -> rest | rest -> rest) in
  match Unix.close_process_in channel, gravest_first with
  | Unix.WEXITED code, words when said <> [] && code <= 3 ->
    { word = List.find (fun word -> status word = code) words; lines = said }
  | _ -> refusal "incomplete" path (Printf.sprintf "the check takes more than %d seconds or %d MB; --work N allows N \
                                                    times as much" (seconds * arguments.work)
                                      (kilobytes / 1000 * arguments.work))

(* ---- the command line ---- *)

let rec arguments found = function
  | "--work" :: digits :: rest when Numbers.is_digits digits && String.length digits <= 3 && int_of_string digits >= 1 ->
    arguments { found with work = min most_work (int_of_string digits) } rest
  | "--" :: files -> { found with files = List.rev_append found.files files }
  | word :: rest when String.length word > 1 && word.[0] = '-' ->
    (match Requests.option found.asked word rest with
     | Some (asked, rest) -> arguments { found with asked } rest
     | None -> malformed "%s is no option, or has no such value; %s" (quote word) usage)
  | file :: rest -> arguments { found with files = file :: found.files } rest
  | [] -> { found with files = List.rev found.files }

(* With --canonical a verdict is not output, which is the text of a certificate: it goes to standard error. *)
let say (asked : Requests.t) answers =
  List.iter (fun answer ->
      let print = if asked.canonical && answer.word <> "accepted" then prerr_endline else print_endline in
      List.iter print answer.lines) answers;
  status (List.find (fun word -> List.exists (fun answer -> answer.word = word) answers) gravest_first)

let main () =
  let words = List.tl (Array.to_list Sys.argv) in
  let is_child, words = match words with word :: rest when word = child -> (true, rest) | _ -> (false, words) in
  let found = arguments { asked = Requests.nothing; work = 1; files = [] } words in
  if found.files = [] then malformed "no file; %s" usage;
  Requests.check_sense found.asked;
  if is_child then
    say Requests.nothing (map (fun path -> answer found.asked path (fun () -> read_file path)) found.files)
  else
    let options = Requests.options found.asked in
    say found.asked (map (fun path -> within_limits found path options) found.files)

let () =
  match main () with
  | code -> exit code
  | exception Malformed problem -> print_endline ("malformed: " ^ problem); exit 2
  | exception Sys_error problem -> prerr_endline ("certify-check: the output cannot be written: " ^ problem); exit 2
