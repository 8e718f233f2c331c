import { memo, use, useId } from "react";
import Check from "lucide-react/icons/check";
import Copy from "lucide-react/icons/copy";
import PanelRight from "lucide-react/icons/panel-right";
import WrapText from "lucide-react/icons/wrap-text";
import { usePreference } from "#web/preferences/preferences.ts";
import { IconButton } from "#web/ui/button.tsx";
import { Icon } from "#web/ui/icon.tsx";
import { useCopied } from "#web/ui/use-copied.ts";
import { ScrollBox } from "#web/ui/scroll-box.tsx";
import { t } from "#web/i18n/translate.ts";
import { isArtifact } from "../artifacts/artifact-kind.ts";
import { keyOfBlock } from "../artifacts/artifacts.ts";
import { ArtifactOpenerContext } from "./artifact-opener.ts";
import { languageName } from "./languages.ts";
import { useHighlighted } from "./use-highlighted.tsx";
import styles from "./code-block.module.css";

/**
 * Code with its language, a copy button and a wrap button, and one that opens it in the panel if that shows such a block.
 * `isOpen`: it is still streaming.
 */
export const CodeBlock = memo(function CodeBlock({
  code,
  language,
  isOpen = false,
}: {
  code: string;
  language: string;
  isOpen?: boolean;
}) {
  const [isWrapped, setWrapped] = usePreference("wrapCode");
  const { isCopied, copy } = useCopied();
  const colours = useHighlighted(code, language, isOpen);
  const id = useId();
  const name = languageName(language) ?? t("fileKind.text");
  return (
    <figure className={styles["block"]} dir="ltr" aria-labelledby={id}>
      <figcaption className={styles["bar"]}>
        <span id={id} className={styles["language"]}>
          {name}
        </span>
        <OpenButton code={code} language={language} />
        <IconButton
          icon={WrapText}
          size={16}
          label={t("code.wrap")}
          aria-pressed={isWrapped}
          className={styles["wrap"]}
          onClick={() => setWrapped(!isWrapped)}
        />
        <button
          type="button"
          className={styles["copy"]}
          aria-label={isCopied ? undefined : t("code.copyLabel")}
          onClick={() => copy(code)}
        >
          <Icon of={isCopied ? Check : Copy} size={14} />
          <span aria-live="polite">{isCopied ? t("action.copied") : t("action.copy")}</span>
        </button>
      </figcaption>
      <ScrollBox
        as="pre"
        label={t("code.label", { language: name })}
        data-wrapped={isWrapped || undefined}
        className={styles["code"]}
      >
        <code>{colours}</code>
      </ScrollBox>
    </figure>
  );
});

function OpenButton({ code, language }: { code: string; language: string }) {
  const opener = use(ArtifactOpenerContext);
  if (opener === undefined || !isArtifact(language, code)) return null;
  const open = () => {
    const key = keyOfBlock(opener.answer(), { language, code });
    if (key !== undefined) opener.open(key);
  };
  return (
    <button type="button" className={styles["copy"]} onClick={open}>
      <Icon of={PanelRight} size={14} />
      {t("code.open")}
    </button>
  );
}
