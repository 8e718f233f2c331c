import type { ComponentProps } from "react";
import { Lightbox } from "#web/ui/images/lightbox.tsx";
import { createLazyModule } from "#web/ui/lazy-module.ts";
import { useLoaded } from "#web/ui/load-failure.tsx";

const preview = createLazyModule(
  () => import("./preview/file-preview.tsx"),
  (module) => module.FilePreview,
  "parts",
  "images",
);

export const loadFilePreview = preview.load;

/** A picture or the preview of another file over the page. */
export function OpenedFile({
  address,
  name,
  type,
  picture,
  reopen,
  onClose,
}: {
  address: string;
  name: string;
  type: string;
  /** The address of the picture, for a picture. */
  picture?: string | undefined;
  /** Opens it again, after its code did not load. */
  reopen?: (() => void) | undefined;
  onClose(): void;
}) {
  if (picture !== undefined)
    return <Lightbox images={[{ source: picture, name }]} start={0} onClose={onClose} />;
  return <LazyPreview reopen={reopen} address={address} name={name} type={type} onClose={onClose} />;
}

function LazyPreview({
  reopen,
  ...props
}: ComponentProps<typeof import("./preview/file-preview.tsx").FilePreview> & {
  reopen: (() => void) | undefined;
}) {
  const FilePreview = useLoaded(preview, {
    onFailed: props.onClose,
    retry: reopen,
  });
  return FilePreview === undefined ? null : <FilePreview {...props} />;
}
