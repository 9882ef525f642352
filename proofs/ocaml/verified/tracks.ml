(* Reader of decisions about aligned words (docs/reference/tracks.md), and their claim in words.

   The reader is not trusted: what it offers is a JSON value, whose text the checker compares, and evidence, which the
   checker proves. The claim is written from what the checker read itself; `describe` is trusted to say what that is. *)

open Outcome
module C = Checker

let int = Integers.int_of_nat
let part, parts = Decisions.(part, parts)
let is_one found = List.assoc_opt "inputs" found = Some (Json.String "tracks")
                   && List.assoc_opt "by" found = Some (Json.String "forms")
let items what = function Some (Json.List found) -> found | _ -> malformed "evidence: expected a list of %s" what
let number = function
  | Some (Json.Integer digits) when digits <> "" && digits.[0] = '-' ->
    Integers.opposite (Integers.natural (String.sub digits 1 (String.length digits - 1)))
  | Some (Integer digits) -> Integers.natural digits
  | _ -> malformed "evidence: expected an integer"
let small = function
  | Some (Json.Integer digits) when String.length digits < 10 -> int_of_string digits
  | _ -> malformed "evidence: expected an integer of at most nine digits"

(* ---- evidence in exact numbers ---- *)

let base64 = function
  | Some (Json.String text) ->
    let found = Buffer.create (String.length text) in
    let digits = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/" in
    let value, bits = ref 0, ref 0 in
    String.iter (fun c -> if c <> '=' then match String.index_opt digits c with
        | Some digit ->
          value := ((!value lsl 6) lor digit) land 0xffff;
          bits := !bits + 6;
          if !bits >= 8 then (bits := !bits - 8; Buffer.add_char found (Char.chr ((!value lsr !bits) land 255)))
        | None -> malformed "evidence: expected base64") text;
    Buffer.contents found
  | _ -> malformed "evidence: expected base64"

(* A signed number of 16 bytes, and one of 4 bytes, the least first. *)
let size_of_end = 16
let byte = Array.init 256 (fun k -> Integers.natural (string_of_int k))
let base = Integers.natural "256"
let signed data at =
  let rec go k found = if k < 0 then found else go (k - 1) (Integers.add (Integers.multiply base found) byte.(Char.code data.[at + k])) in
  let found = go (size_of_end - 1) Integers.zero in
  if Char.code data.[at + size_of_end - 1] < 128 then found
  else Integers.add found (Integers.opposite (Integers.natural "340282366920938463463374607431768211456"))
let unsigned data at =
  let found = Int32.to_int (String.get_int32_le data at) in
  if found < 0 then malformed "classes: a number has more than 31 bits" else found

let rec tree = function
  | Json.Null -> C.Cell
  | List [ direction; at; below; above ] ->
    C.Cut (Integers.unary (small (Some direction)), number (Some at), tree below, tree above)
  | _ -> malformed "evidence: expected null, or a cut and two parts"

(* The attention heads of the network, and how many coordinates their values have. *)
let heads value =
  let steps = items "steps" (parts "steps" (part "network" value)) in
  List.concat_map (fun step -> match part "heads" step with Some (Json.List heads) -> heads | _ -> []) steps
let width_of head = match parts "shape" (parts "weight" (part "value" head)) with
  | Some (Json.List [ _; width ]) -> small (Some width)
  | _ -> 0

let exact_unit value given =
  let width = List.fold_left (fun total head -> total + width_of head) 0 (heads value) in
  let ranges, classes = base64 (part "ranges" given), base64 (part "classes" given) in
  let bytes = 2 * size_of_end * width in
  (if width = 0 || String.length ranges mod bytes <> 0 || String.length classes mod 4 <> 0 then
     malformed "evidence: ranges or classes have a wrong number of bytes");
  let boxes = Array.init (String.length ranges / bytes) (fun box -> List.init width (fun k ->
      let at = (bytes * box) + (2 * size_of_end * k) in (signed ranges at, signed ranges (at + size_of_end)))) in
  let box k =
    let found = unsigned classes (4 * k) in
    if found < Array.length boxes then boxes.(found) else malformed "classes: there is no such box" in
  let within name least most = let found = small (part name given) in
    if found < least || found > most then malformed "%s: %d, expected %d to %d" name found least most in
  within "precision" 32 128;
  within "bits" 0 256;
  { C.stated_precision = Integers.add (number (part "precision" given)) (Integers.natural "48");
    stated_bits = number (part "bits" given);
    stated_boxes = List.init (String.length classes / 4) box;
    stated_cells = map tree (items "cells" (part "cells" given)) }

(* ---- other evidence, of heads with one coordinate and one direction ---- *)

(* Such a range is one of the average times the direction's product with the out matrix. What is offered is proved
   anyway, so doubles do, and an end that is a unit too wide. *)
let bits_of_averages = 40

let doubles value name =
  let tensor = parts name (parts "tensors" (part "network" value)) in
  let data = base64 (parts "data" tensor) in
  match parts "format" tensor with
  | Some (Json.String "binary64") -> fun k -> Int64.float_of_bits (String.get_int64_le data (8 * k))
  | Some (String "binary32") -> fun k -> Int32.float_of_bits (String.get_int32_le data (4 * k))
  | _ -> unsupported "evidence: only of binary32 and binary64 weights, unless in exact numbers"
let factor value head direction = match part "out" head with
  | Some view -> (match part "tensor" view, part "start" view, part "strides" view with
      | Some (Json.String name), start, Some (List [ _; stride ]) ->
        let entry = doubles value name and start = small start and stride = small (Some stride) in
        let width = String.length direction / 4 in
        List.fold_left ( +. ) 0. (List.init width (fun k ->
            Int32.to_float (String.get_int32_le direction (4 * k)) /. 1073741824. *. entry (start + (k * stride))))
      | _ -> 0.)
  | None -> 0.

let unit_of_directions value given =
  let heads = heads value and directions = map (fun data -> base64 (Some data)) (items "directions" (part "directions" given)) in
  (if List.length heads <> List.length directions || heads = [] || List.exists (fun head -> width_of head <> 1) heads
      || part "before" given <> None || part "window" given <> None then
     unsupported "evidence: this checker is proved for one attention step, and takes ranges in exact numbers, or those of \
                  one direction of heads whose values have one coordinate");
  let factors = List.map2 (factor value) heads directions in
  let whole x =
    if Float.abs x < 4e18 then Integers.(if x < 0. then opposite (natural (Printf.sprintf "%.0f" (-. x)))
                                         else natural (Printf.sprintf "%.0f" x))
    else unsupported "evidence: a range is too large" in
  let scale = 2. ** float_of_int (bits_of_averages - small (part "bits" given)) in
  let ranges = base64 (part "ranges" given) and width = List.length heads in
  let box k = List.mapi (fun h s ->
      let end_ at = Int32.to_float (String.get_int32_le ranges ((8 * ((k * width) + h)) + at)) in
      let low, high = (end_ 0 -. 1.) *. scale /. s, (end_ 4 +. 1.) *. scale /. s in
      (whole (Float.floor (Float.min low high)), whole (Float.ceil (Float.max low high)))) factors in
  let rec tree = function
    | Json.Null -> C.Cell
    | List [ direction; Integer at; below; above ] ->
      let h = small (Some direction) in
      (if h >= width then malformed "cells: there is no such direction");
      let s = List.nth factors h in
      let below, above = if s < 0. then above, below else below, above in
      C.Cut (Integers.unary h, whole (Float.round (float_of_string at *. scale /. s)), tree below, tree above)
    | _ -> malformed "evidence: expected null, or a cut and two parts" in
  { C.stated_precision = Integers.natural "112"; stated_bits = Integers.natural (string_of_int bits_of_averages);
    stated_boxes = List.init (String.length ranges / (8 * width)) box;
    stated_cells = map tree (items "cells" (part "cells" given)) }

let evidence value =
  let unit_of given = match part "inputs" given with
    | Some inputs -> C.InputByInput (Integers.unary (small (Some inputs)))
    | None ->
      (if items "splits" (part "splits" given) <> [] then
         unsupported "splits: this checker is not proved for split classes");
      C.ByClasses (if part "precision" given <> None then exact_unit value given else unit_of_directions value given) in
  map unit_of (items "units" (parts "units" (part "evidence" value)))

(* ---- the claim in words ---- *)

let texts letters = String.concat ", " (map Claim.quoted letters)
let tokens found = if found = [] then "none" else String.concat " " (map (fun t -> string_of_int (int t)) found)

let place (c : C.tracks_claim_syntax) = function
  | C.TokenPlace t -> Printf.sprintf "token %d" (int t)
  | TrackPlace (i, k) ->
    Printf.sprintf "%s of column %d" (Claim.quoted (List.nth c.claim_tracks (int i)).C.track_name) (int k + 1)
  | AnswerPlace (i, k) -> Printf.sprintf "answer %d of column %d" (int i + 1) (int k + 1)
  | EndPlace i -> Printf.sprintf "end %d" (int i + 1)

(* A line for each table and state, and one for the ends. *)
let machine (c : C.tracks_claim_syntax) =
  let m = c.claim_machine in
  let letters combination = String.concat " " (List.map2 (fun (track : C.track_syntax) letter ->
      Claim.quoted (List.nth track.track_letters (int letter))) c.claim_tracks combination) in
  let all = C.all_combinations c in
  let move combination = function
    | Some (target, written) -> Printf.sprintf "%s > %d %s" (letters combination) (int target) (tokens written)
    | None -> letters combination ^ " > not allowed" in
  let row table state moves = Printf.sprintf "table %d, state %d: %s" (table + 1) state
      (String.concat ", " (List.map2 move all moves)) in
  let finish state = function
    | Some written -> Printf.sprintf "state %d writes %s" state (tokens written)
    | None -> Printf.sprintf "state %d is not allowed" state in
  Printf.sprintf "starts in state %d; a step: letters > next state, and the tokens that are written" (int m.transducer_start)
  :: List.concat (mapi (fun table rows -> mapi (row table) rows) m.transducer_tables)
  @ [ "at the end: " ^ String.concat ", " (mapi finish m.transducer_ends) ]

let layout c ({ C.layout_tables; layout_places } : C.layout_syntax) =
  let named = map (place c) layout_places in
  [ Printf.sprintf "%s, read by table %s" (Decisions.counted (List.length layout_tables) "column")
      (String.concat " " (map (fun table -> string_of_int (int table + 1)) layout_tables));
    "tokens: " ^ String.concat ", " named ]

let describe (d : C.tracks_syntax) =
  let c = d.tracks_claim in
  let track (t : C.track_syntax) = Claim.entry "track" [
      Printf.sprintf "%s: %s" (Claim.quoted t.track_name) (texts t.track_letters); "as tokens " ^ tokens t.track_tokens ] in
  List.concat ([ Claim.entry "network" [ Decisions.network d.tracks_network ] ] @ map track c.claim_tracks
               @ [ Claim.entry "machine" (machine c) ]
               @ mapi (fun k found -> Claim.entry (Printf.sprintf "form %d" (k + 1)) (layout c found)) c.claim_layouts
               @ [ Claim.entry "claim" [
                   Printf.sprintf "for every input of every form that the machine allows, at offset %d, and each of its answers:"
                     (int c.claim_offset);
                   "the logits at the token before it, after the right answers before that one, have the answer's above";
                   Printf.sprintf "those of all other tokens of %s, by more than %s" (tokens c.claim_among)
                     (Decisions.rational c.claim_threshold);
                   "(exact reals, real exponentials and square roots)" ] ])

(* ---- the verdict ---- *)

let judge value text =
  List.iter (fun (name, expected) -> if part name value <> Some (Json.String expected) then
                unsupported "%s: this checker is proved for %s only" name (quote expected))
    [ ("execution", "exact"); ("property", "answers") ];
  if Integers.are_slow then
    unsupported "inputs: with numbers as Coq has them tracks take too long; the program with those of Zarith takes them";
  match C.judge_tracks (evidence value) (Texts.to_coq text) (Model.json_of value) with
  | C.Proved d -> describe d
  | TextDiffers ->
    let written = Texts.of_coq (C.json_text (Model.json_of value)) in
    malformed "line %d: not in the one spelling of a certificate" (Texts.first_difference text written)
  | NotRead -> unsupported "it is not a decision of the format, or has a part that this checker is not proved for"
  | DoesNotFit -> malformed "its parts do not fit: shapes, tokens, states, logits, places or offsets"
  | NotProved -> unsupported "it is not proved: a range or a row does not hold, or a part of the network has no rule"
