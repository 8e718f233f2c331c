import { Picture } from "#web/markdown/picture.tsx";
import { fileIdOf, sourceOf } from "#web/data/files/own-file.ts";
import { PictureTile } from "./file/picture-tile.tsx";
import type { PartProps } from "./part-view.ts";

/** A picture: a tile if a person attached it, else as large as its space allows. */
export function ImageView({ part, role }: PartProps<"image">) {
  if (role === "user" && fileIdOf(part.image) !== undefined)
    return <PictureTile address={part.image} name={part.filename ?? ""} type="image/*" />;
  return <Picture address={sourceOf(part.image)} alt={part.filename ?? ""} />;
}
