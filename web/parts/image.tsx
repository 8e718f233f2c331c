import { Picture } from "#web/markdown/picture.tsx";
import { sourceOf } from "#web/data/own-file.ts";
import type { PartProps } from "./view.ts";

export function ImageView({ part }: PartProps<"image">) {
  return <Picture address={sourceOf(part.image)} alt={part.filename ?? ""} />;
}
