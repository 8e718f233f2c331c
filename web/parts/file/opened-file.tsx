import { Lightbox } from "#web/ui/lightbox.tsx";
import { fileKind, isOfficeFile } from "./file-kind.ts";
import { FilePreview } from "./preview/file-preview.tsx";

/** The preview of a file over the page; nothing if the file has none. */
export function OpenedFile({
  address,
  name,
  type,
  picture,
  onClose,
}: {
  address: string;
  name: string;
  type: string;
  /** The address of the picture, for a picture. */
  picture?: string | undefined;
  onClose(): void;
}) {
  if (picture !== undefined) return <Lightbox source={picture} alt={name} onClose={onClose} />;
  if (!hasPreview(name, type)) return null;
  return <FilePreview address={address} name={name} kind={fileKind(name, type)} onClose={onClose} />;
}

export function hasPreview(name: string, type: string): boolean {
  const kind = fileKind(name, type);
  if (kind === "pdf") return true;
  return (kind === "table" || kind === "text" || kind === "code") && !isOfficeFile(name, type);
}
