import { useRef } from "react";
import { useAui } from "@assistant-ui/react";
import Paperclip from "lucide-react/icons/paperclip";
import { IconButton } from "#web/ui/button.tsx";
import { t } from "#web/i18n/translate.ts";

/** Lets a person choose files for the message at hand. */
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
        tabIndex={-1}
        aria-hidden
        onChange={({ currentTarget }) => {
          attach(aui, currentTarget.files);
          // The same file may be chosen once more.
          currentTarget.value = "";
        }}
      />
      <IconButton icon={Paperclip} label={t("attach.add")} onClick={() => input.current?.click()} />
    </>
  );
}

/** Adds files to the message at hand. What is wrong with one is said where it stands. */
export function attach(aui: ReturnType<typeof useAui>, files: Iterable<File> | null | undefined): boolean {
  const all = [...(files ?? [])];
  for (const file of all) void aui.composer.addAttachment(file).catch(() => {});
  return all.length > 0;
}
