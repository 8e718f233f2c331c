import { useRef } from "react";
import { saveFile } from "#web/data/transfer/save-file.ts";
import { Button } from "#web/ui/button.tsx";
import { useCopied } from "#web/ui/copy/use-copied.ts";
import { t } from "#web/i18n/translate.ts";
import { useAskBeforeLeaving } from "../form/use-ask-before-leaving.tsx";
import accountStyles from "./accounts.module.css";
import styles from "./second-factor.module.css";

/** Shows recovery codes, once. */
export function RecoveryCodes({ codes, onDone }: { codes: readonly string[]; onDone(): void }) {
  const { isCopied, copy } = useCopied();
  const isStored = useRef(false);
  const question = useAskBeforeLeaving(() => !isStored.current, t("secondFactor.leave"));
  const text = `${codes.join("\n")}\n`;
  return (
    <section aria-label={t("secondFactor.codes")}>
      <h3 className="text-3 medium">{t("secondFactor.codes")}</h3>
      <p className={accountStyles["about"]}>{t("secondFactor.codesWhat")}</p>
      <ul dir="ltr" className={styles["codes"]}>
        {codes.map((code) => (
          <li key={code}>{code}</li>
        ))}
      </ul>
      <div className="flex wrap gap-2 above-4">
        <Button
          look="strong"
          onClick={() => {
            isStored.current = true;
            onDone();
          }}
        >
          {t("secondFactor.stored")}
        </Button>
        <Button onClick={() => copy(text)}>{isCopied ? t("action.copied") : t("secondFactor.copy")}</Button>
        <Button
          onClick={() =>
            saveFile({
              name: "parlance-recovery-codes.txt",
              blob: new Blob([text], { type: "text/plain" }),
            })
          }
        >
          {t("secondFactor.download")}
        </Button>
      </div>
      {question}
    </section>
  );
}
