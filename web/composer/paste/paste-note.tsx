import { useAui, useAuiState } from "@assistant-ui/react";
import { useCan } from "#web/data/session/session.ts";
import { Button } from "#web/ui/button.tsx";
import { t } from "#web/i18n/translate.ts";
import { useAttach } from "../attach-button.tsx";
import { composerField } from "../focus-composer.ts";
import styles from "./paste-note.module.css";

/** Offers to move pasted text from the message into a file, as long as the message has it unchanged. */
export function PasteNote({ pasted }: { pasted: string }) {
  const aui = useAui();
  const attach = useAttach();
  const mayUpload = useCan("files.upload") !== false;
  // A text field has no carriage returns.
  const text = pasted.replaceAll(/\r\n?/g, "\n");
  const isThere = useAuiState((s) => s.composer.text.includes(text));
  if (!isThere || !mayUpload) return null;
  const makeFile = () => {
    const name = `${t("paste.name")}.txt`;
    if (!attach([new File([text], name, { type: "text/plain" })])) return;
    // A function: in a replacement text, `$` has a meaning.
    aui.composer.setText(aui.composer.getState().text.replace(text, () => ""));
    composerField()?.focus({ preventScroll: true });
  };
  return (
    <p role="status" className={styles["note"]}>
      {t("paste.long", { count: pasted.length })}
      <Button look="plain" onClick={makeFile}>
        {t("paste.makeFile")}
      </Button>
    </p>
  );
}
