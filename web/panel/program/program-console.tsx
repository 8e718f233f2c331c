import { type ReactNode, useState } from "react";
import { Button } from "#web/ui/button.tsx";
import { ScrollBox } from "#web/ui/scroll-box.tsx";
import { t } from "#web/i18n/translate.ts";
import type { ConsoleEntry } from "./use-program.ts";
import styles from "./program.module.css";

/** What a program printed, as text, below its frame. It opens by itself at the first error. */
export function Console({
  entries,
  onClear,
  onFix,
  actions,
}: {
  entries: readonly ConsoleEntry[];
  onClear(): void;
  onFix: ((error: string) => void) | undefined;
  actions: ReactNode;
}) {
  const errors = entries.filter(({ level }) => level === "error");
  const [choice, setOpen] = useState<boolean>();
  const isOpen = choice ?? errors.length > 0;
  const last = errors.at(-1);
  return (
    <div className="rigid text-2 hairline-above">
      <div className={styles["consoleBar"]}>
        <Button look="plain" aria-expanded={isOpen} onClick={() => setOpen(!isOpen)}>
          {t("program.console", { count: entries.length })}
        </Button>
        <span role="status" className="danger">
          {errors.length > 0 && t("program.errors", { count: errors.length })}
        </span>
        {last !== undefined && onFix !== undefined && (
          <Button onClick={() => onFix(last.text)}>{t("program.fix")}</Button>
        )}
        <span className={styles["actions"]}>{actions}</span>
      </div>
      {isOpen && (
        <ScrollBox label={t("program.output")} dir="ltr" className={styles["entries"]}>
          {entries.length === 0 ? (
            <p>{t("program.nothing")}</p>
          ) : (
            <>
              {entries.map(({ level, text }, i) => (
                <pre key={i} data-level={level}>
                  {text}
                </pre>
              ))}
              <Button look="plain" onClick={onClear}>
                {t("program.clear")}
              </Button>
            </>
          )}
        </ScrollBox>
      )}
    </div>
  );
}
