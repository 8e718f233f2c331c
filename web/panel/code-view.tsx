import { useHighlighted } from "#web/markdown/code/use-highlighted.tsx";
import { languageName } from "#contract/artifacts/code-languages.ts";
import { ScrollBox } from "#web/ui/scroll-box.tsx";
import { usePreference } from "#web/preferences/preferences.ts";
import { t } from "#web/i18n/translate.ts";
import { join } from "#web/ui/button.tsx";
import codeStyles from "#web/markdown/code/code-block.module.css";
import styles from "./panel.module.css";

/** Code in full. `isOpen`: it is still being written. */
export function CodeView({ code, language, isOpen }: { code: string; language: string; isOpen: boolean }) {
  const colours = useHighlighted(code, language, isOpen);
  const [isWrapped] = usePreference("wrapCode");
  return (
    <ScrollBox
      as="pre"
      dir="ltr"
      label={t("code.label", { language: languageName(language) ?? t("fileKind.text") })}
      data-wrapped={isWrapped || undefined}
      className={join(codeStyles["code"], styles["code"])}
    >
      <code>{colours}</code>
    </ScrollBox>
  );
}
