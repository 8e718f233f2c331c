import { createLazyModule } from "../lazy-module.ts";
import { useLoaded } from "../load-failure.tsx";
import type { OpenedImage } from "./opened-image.ts";

const viewer = createLazyModule(
  () => import("./image-viewer.tsx"),
  (module) => module.ImageViewer,
  "images",
);

export const loadImageViewer = viewer.load;

/** Pictures in full size over the page, beginning with one of them. */
export function Lightbox(props: { images: readonly OpenedImage[]; start: number; onClose(): void }) {
  const ImageViewer = useLoaded(viewer, { onFailed: props.onClose });
  return ImageViewer && <ImageViewer {...props} />;
}
