import { useAuiState } from "@assistant-ui/react";
import { fileIdOf, sourceOf } from "#web/data/files/own-file.ts";
import { isImageType } from "#web/data/files/uploads/upload.ts";
import { OpenedFile } from "#web/parts/file/opened-file.tsx";
import { t } from "#web/i18n/translate.ts";

/** The preview of the file that the address links to; nothing if the message does not have it. */
export function LinkedFile({
  messageId,
  fileId,
  onReopen,
  onClose,
}: {
  messageId: string;
  fileId: string;
  onReopen(): void;
  onClose(): void;
}) {
  const file = useAuiState((s) =>
    s.thread.messages
      .find(({ id }) => id === messageId)
      ?.parts.find((part) => part.type === "file" && fileIdOf(part.data) === fileId),
  );
  if (file?.type !== "file") return null;
  const { data, mimeType, filename } = file;
  return (
    <OpenedFile
      address={data}
      name={filename ?? t(isImageType(mimeType) ? "fileKind.image" : "fileKind.other")}
      type={mimeType}
      picture={isImageType(mimeType) ? sourceOf(data) : undefined}
      reopen={onReopen}
      onClose={onClose}
    />
  );
}
