(* Further checks of the Python checker, so that both reject the same files: every direction has one writer and is read
   only after it is written, and stated errors are those of directions that heads write, in their order
   (docs/reference/certificate.md, sections 3 and 4). The theorem about the checker does not depend on them. *)

open Outcome
module C = Checker

let int = Integers.int_of_nat

type writer = { layer : int; head : int }

let stage writer = if writer.head > 0 then 2 * writer.layer - 1 else 2 * writer.layer

(* The directions that heads and feed-forward blocks read and write, in the order of their stages. *)
let parts layers =
  let places row = map (fun (d, _) -> int d) row in
  let of_layer k (layer : C.layer) =
    let heads = mapi (fun h (head : C.head) ->
        let rows = head.head_queries @ head.head_keys @ map snd head.head_values in
        ({ layer = k + 1; head = h + 1 }, List.concat_map places rows, places head.head_values,
         C.is_alone head.head_weighing)) layer.layer_heads in
    let units = layer.layer_units in
    let written = places layer.layer_bias @ List.concat_map (fun (u : C.relu_unit) -> places u.unit_writes) units in
    heads @ [ ({ layer = k + 1; head = 0 }, List.concat_map (fun (u : C.relu_unit) -> places u.unit_reads) units,
               List.sort_uniq compare written, false) ]
  in
  List.concat (mapi of_layer layers)

(* The writer of every direction; a direction without a writer is embedded. Several heads of a layer may write one
   direction if their weights are additive: its writer is the first of them. *)
let writers (model : Model.t) =
  let network = model.model.C.model_network in
  let parts = parts network.transformer_layers in
  let size = Array.length model.directions in
  let later = Array.make size false and found = Array.make size None in
  let summed = Array.make size false in
  List.iter (fun (_, _, written, _) -> List.iter (fun d -> later.(d) <- true) written) parts;
  let embedded d = found.(d) <- Some { layer = 0; head = 0 } in
  Array.iteri (fun d is_later -> if not is_later then embedded d) later;
  List.iter (List.iter (fun (d, _) -> embedded (int d))) network.token_embedding;
  List.iter (fun (d, _) -> embedded (int d)) network.position_embedding;
  let name d = quote model.directions.(d) in
  List.iter (fun (writer, read, written, is_alone) ->
      List.iter (fun d -> match found.(d) with
          | Some before when stage before < stage writer -> ()
          | _ -> rejected "layer %d reads %s too early" writer.layer (name d)) read;
      List.iter (fun d ->
          match found.(d) with
          | None -> found.(d) <- Some writer; summed.(d) <- is_alone
          | Some first when is_alone && summed.(d) && stage first = stage writer -> ()
          | Some _ -> rejected "direction %s is written twice, in layer %d" (name d) writer.layer) written) parts;
  found

let check_errors (model : Model.t) writers (stated : C.stated_error list) =
  let meanings = Array.of_list model.model.model_meanings in
  let is_approximate d = match meanings.(d) with C.IsNear _ | C.IsOthers _ -> true | _ -> false in
  let wanted = List.filter (fun (writer, d) -> writer.head > 0 && is_approximate d)
      (Array.to_list (Array.mapi (fun d writer -> (Option.get writer, d)) writers)) in
  let wanted = List.sort (fun (a, d) (b, e) -> compare (a.layer, a.head, d) (b.layer, b.head, e)) wanted in
  let found = map (fun (e : C.stated_error) ->
      ({ layer = int e.error_layer; head = int e.error_head }, int e.error_direction)) stated in
  if found <> wanted then
    rejected "bounds: expected exactly one entry for every near direction, in the order they are written";
  List.iter (fun (e : C.stated_error) ->
      let d = int e.error_direction in
      let of_truth = match meanings.(d) with C.IsNear _ -> true | _ -> false in
      if not (C.fits of_truth e) then
        rejected "direction %s: the errors are expected to be 0 to 1/4 (others: 0 or more)" (quote model.directions.(d)))
    stated

let check (given : Certificate.t) =
  check_errors given.model (writers given.model) given.certificate.claimed_errors
