import { useRef } from "react";
import { useAui } from "@assistant-ui/react";
import Paperclip from "lucide-react/icons/paperclip";
import { IconButton } from "#web/ui/button.tsx";
import { t } from "#web/i18n/translate.ts";

/** Opens the file dialog and attaches the files to the current message. */
export function AttachButton() {
  const aui = useAui();
  const input = useRef<HTMLInputElement>(null);
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
          attach(aui, currentTarget.files);
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

/** Attaches files to the current message and returns whether there were any. Each attachment shows its own failure. */
export function attach(aui: ReturnType<typeof useAui>, files: Iterable<File> | null | undefined): boolean {
  const all = [...(files ?? [])];
  for (const file of all) void aui.composer.addAttachment(file).catch(() => {});
  return all.length > 0;
}
