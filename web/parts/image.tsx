import { Picture } from "#web/markdown/picture.tsx";
import type { PartProps } from "./view.ts";

export function ImageView({ part }: PartProps<"image">) {
  return <Picture address={part.image} alt={part.filename ?? ""} />;
}
