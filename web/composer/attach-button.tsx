import { useRef } from "react";
import { useAui } from "@assistant-ui/react";
import Paperclip from "lucide-react/icons/paperclip";
import { useCan } from "#web/data/session/session.ts";
import { failureOfCode } from "#web/data/failure.ts";
import { showToast } from "#web/ui/toast.tsx";
import { IconButton } from "#web/ui/button.tsx";
import { t } from "#web/i18n/translate.ts";

/** Opens the file dialog and attaches the files to the current message. Nothing for people who may not upload files. */
export function AttachButton() {
  const attach = useAttach();
  const input = useRef<HTMLInputElement>(null);
  if (useCan("files.upload") === false) return null;
  return (
    <>
      <input
        ref={input}
        type="file"
        multiple
        hidden
        data-attach
        tabIndex={-1}
        aria-hidden
        onChange={({ currentTarget }) => {
          attach(currentTarget.files);
          // Allows choosing the same file again.
          currentTarget.value = "";
        }}
      />
      <IconButton icon={Paperclip} label={t("attach.add")} onClick={() => input.current?.click()} />
    </>
  );
}

/** Opens the file dialog of the message field. */
export function openFileDialog(): void {
  document.querySelector<HTMLInputElement>("#main input[data-attach]")?.click();
}

/**
 * Returns a function that attaches files to the current message and returns whether it did. Each attachment shows its own
 * failure. People who may not upload files see why.
 */
export function useAttach(): (files: Iterable<File> | null | undefined) => boolean {
  const aui = useAui();
  const mayUpload = useCan("files.upload") !== false;
  return (files) => {
    const all = [...(files ?? [])];
    if (all.length === 0) return false;
    if (mayUpload) for (const file of all) void aui.composer.addAttachment(file).catch(() => {});
    else showToast(failureOfCode("files-not-allowed").message, { tone: "danger" });
    return mayUpload;
  };
}
