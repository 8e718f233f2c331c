import { Lightbox } from "#web/ui/lightbox.tsx";
import { t } from "#web/i18n/translate.ts";
import { fileKind, isOfficeFile } from "./file-kind.ts";
import { FilePreview } from "./preview/file-preview.tsx";

/** A look into a file over the page; nothing where none can be had. */
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
  /** Where the picture is, of a file that is one. */
  picture?: string | undefined;
  onClose(): void;
}) {
  if (picture !== undefined)
    return <Lightbox source={picture} alt={name} closeLabel={t("image.close")} onClose={onClose} />;
  if (!hasPreview(name, type)) return null;
  return <FilePreview address={address} name={name} kind={fileKind(name, type)} onClose={onClose} />;
}

export function hasPreview(name: string, type: string): boolean {
  const kind = fileKind(name, type);
  if (kind === "pdf") return true;
  return (kind === "table" || kind === "text" || kind === "code") && !isOfficeFile(name, type);
}
