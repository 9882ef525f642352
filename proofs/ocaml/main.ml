(* certify-every-n: does the network of a file compute its formula on words of every length?

   `Checker.check` is the checker of the Coq library, of which check_computes says: if its answer is true, the network is
   defined and computes the formula, for every n, every word and every position. The rest of this program reads files. *)

open Outcome

let usage = "usage: certify-every-n [--formula F] FILE..."
let most_words = 1 lsl 27 (* of memory: 1 GiB where a word has 8 bytes *)

exception Too_much_memory

(* The verdict, its exit status and what is to be said. *)
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

let decide (model : Model.t) asked =
  let claim = match asked, model.claim with
    | None, Some claim -> claim
    | None, None -> malformed "output: its meaning is no truth, expected the truth of a formula, or --formula"
    | Some text, _ ->
      (try Formulas.((formula model.scope text).node) with
       | Malformed problem -> malformed "--formula: %s" problem
       | Unsupported problem -> unsupported "--formula: %s" problem)
  in
  let shown = Showing.(briefly (formula model claim)) in
  if Checker.check model.network model.meanings claim then
    let text = Printf.sprintf "for every n, every word of length n over {%s} and every position: the output is exactly 1 \
                               if %s, else 0" (Showing.alphabet model) shown in
    { word = "proved"; status = 0; text }
  else
    let place = Showing.refusal model (Checker.find_refusal model.network model.meanings claim) in
    { word = "unproved"; status = 3;
      text = Printf.sprintf "%s: the checker does not accept this network, which does not make it wrong: %s" shown place }

let judge path asked =
  let too_much = { word = "unknown"; status = 3; text = "the check needs more memory than 1 GiB, or a larger stack" } in
  try decide (Model.read "file" (read_file path)) asked with
  | Malformed text -> { word = "malformed"; status = 2; text }
  | Unsupported text -> { word = "unsupported"; status = 3; text }
  | Sys_error problem -> { word = "malformed"; status = 2; text = printable problem }
  | Stack_overflow | Out_of_memory | Too_much_memory -> too_much

let rec arguments asked files = function
  | "--formula" :: formula :: rest when asked = None -> arguments (Some formula) files rest
  | word :: _ when word <> "" && word.[0] = '-' -> (asked, [])
  | file :: rest -> arguments asked (file :: files) rest
  | [] -> (asked, List.rev files)

let gravest a b = if a = 2 || b = 2 then 2 else max a b

let () =
  let asked, files = arguments None [] (List.tl (Array.to_list Sys.argv)) in
  if files = [] then (prerr_endline usage; exit 2);
  let alarm = Gc.create_alarm (fun () -> if (Gc.quick_stat ()).heap_words > most_words then raise Too_much_memory) in
  let statuses = map (fun path ->
      let verdict = judge path asked in
      Printf.printf "%-11s %s: %s\n%!" verdict.word (printable path) verdict.text;
      verdict.status) files in
  Gc.delete_alarm alarm;
  exit (List.fold_left gravest 0 statuses)
