(* Outcomes of a file other than a verdict. *)

exception Malformed of string
(** The file is not a model: location, found text, expected text. *)

exception Unsupported of string
(** It has a part without a counterpart in the Coq library; the claim may be true. *)

exception Rejected of string
(** It is a certificate, and its claim is not proved, or not the requested one. *)

let malformed format = Printf.ksprintf (fun text -> raise (Malformed text)) format
let unsupported format = Printf.ksprintf (fun text -> raise (Unsupported text)) format
let rejected format = Printf.ksprintf (fun text -> raise (Rejected text)) format

(* [List.map] without recursion, as lists of files may be long. *)
let map f list = List.rev (List.rev_map f list)
let mapi f list = List.rev (snd (List.fold_left (fun (place, done_) x -> (place + 1, f place x :: done_)) (0, []) list))

(* A text in printable ASCII, on one line: control characters in a file must not affect a terminal. *)
let printable text =
  let shown = Buffer.create (String.length text) in
  String.iter (fun c ->
      if c = '\\' || c < ' ' || c > '~' then Buffer.add_string shown (Printf.sprintf "\\x%02x" (Char.code c))
      else Buffer.add_char shown c) text;
  Buffer.contents shown

(* A printable text between quotes; only the beginning of a long one. *)
let quote text =
  let long = String.length text > 60 in
  "\"" ^ printable (if long then String.sub text 0 57 else text) ^ (if long then "...\"" else "\"")
