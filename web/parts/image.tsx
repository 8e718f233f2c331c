import { Picture } from "#web/markdown/picture.tsx";
import { fileIdOf, sourceOf } from "#web/data/library/own-file.ts";
import { PictureTile } from "./file/picture-tile.tsx";
import type { PartProps } from "./part-view.ts";

/** A picture: what a person attached as a tile, and that of an answer as large as there is room. */
export function ImageView({ part, role }: PartProps<"image">) {
  if (role === "user" && fileIdOf(part.image) !== undefined)
    return <PictureTile address={part.image} name={part.filename ?? ""} type="image/*" />;
  return <Picture address={sourceOf(part.image)} alt={part.filename ?? ""} />;
}
