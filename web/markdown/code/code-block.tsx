import { memo, use, useId } from "react";
import Check from "lucide-react/icons/check";
import ChevronDown from "lucide-react/icons/chevron-down";
import ChevronUp from "lucide-react/icons/chevron-up";
import Copy from "lucide-react/icons/copy";
import Download from "lucide-react/icons/download";
import PanelRight from "lucide-react/icons/panel-right";
import Workflow from "lucide-react/icons/workflow";
import WrapText from "lucide-react/icons/wrap-text";
import { saveFile } from "#web/data/transfer/save-file.ts";
import { usePreference } from "#web/preferences/preferences.ts";
import { IconButton } from "#web/ui/button.tsx";
import { Icon } from "#web/ui/icon.tsx";
import { useCopied } from "#web/ui/copy/use-copied.ts";
import { ScrollBox } from "#web/ui/scroll-box.tsx";
import { t } from "#web/i18n/translate.ts";
import { extensionOf, isArtifact } from "#contract/artifacts/artifact-kind.ts";
import { givenFileName } from "#contract/artifacts/artifacts.ts";
import { versionOfBlock } from "./artifacts.ts";
import { ArtifactOpenerContext } from "./artifact-opener-context.ts";
import { languageName } from "#contract/artifacts/code-languages.ts";
import { useDiagram } from "./use-diagram.tsx";
import { useFold } from "./use-fold.ts";
import { useHighlighted } from "./use-highlighted.tsx";
import styles from "./code-block.module.css";

/**
 * Code with its language and buttons to wrap, download and copy it, and one that opens it in the panel if that shows such
 * a block. Long code is folded. `isOpen`: it is still streaming.
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
  const fold = useFold(code);
  const diagram = useDiagram(code, language, isOpen);
  const name = languageName(language) ?? t("fileKind.text");
  const opener = use(ArtifactOpenerContext);
  const save = () => {
    const given = givenFileName(opener?.answer().texts ?? [], { language, code });
    const blob = new Blob([code], { type: "text/plain" });
    saveFile({ name: given ?? `code.${extensionOf(name)}`, blob });
  };
  return (
    <figure ref={fold.figure} className={styles["block"]} dir="ltr" aria-labelledby={id}>
      <figcaption className={styles["bar"]}>
        <span id={id} className="grow medium">
          {name}
        </span>
        <OpenButton code={code} language={language} />
        {diagram.showsCode !== undefined && (
          <IconButton
            icon={Workflow}
            size={16}
            label={t("code.diagram")}
            aria-pressed={!diagram.showsCode}
            className={styles["icon"]}
            onClick={diagram.toggle}
          />
        )}
        <IconButton
          icon={WrapText}
          size={16}
          label={t("code.wrap")}
          aria-pressed={isWrapped}
          className={styles["icon"]}
          onClick={() => setWrapped(!isWrapped)}
        />
        <IconButton
          icon={Download}
          size={16}
          label={t("code.download")}
          className={styles["icon"]}
          onClick={save}
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
      <div ref={diagram.stage} className={styles["stage"]} data-diagram={diagram.hasRoom || undefined}>
        <div inert={diagram.isDrawn}>
          <ScrollBox
            as="pre"
            label={t("code.label", { language: name })}
            data-wrapped={isWrapped || undefined}
            data-folded={fold.isFolded || undefined}
            className={styles["code"]}
            onScroll={fold.onScroll}
          >
            <code>{colours}</code>
          </ScrollBox>
        </div>
        {diagram.drawing}
      </div>
      {fold.canFold && !diagram.isDrawn && (
        <button
          type="button"
          dir="auto"
          aria-expanded={!fold.isFolded}
          className={styles["fold"]}
          onClick={fold.toggle}
        >
          <Icon of={fold.isFolded ? ChevronDown : ChevronUp} size={14} />
          {fold.isFolded ? t("code.showAll", { count: fold.lines }) : t("code.showLess")}
        </button>
      )}
    </figure>
  );
});

function OpenButton({ code, language }: { code: string; language: string }) {
  const opener = use(ArtifactOpenerContext);
  if (opener?.open === undefined || !isArtifact(language, code)) return null;
  const show = opener.open;
  const open = () => {
    const version = versionOfBlock(opener.answer(), { language, code });
    if (version !== undefined) show(version);
  };
  return (
    <button type="button" className={styles["copy"]} onClick={open}>
      <Icon of={PanelRight} size={14} />
      {t("code.open")}
    </button>
  );
}
