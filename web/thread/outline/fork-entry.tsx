import { useState } from "react";
import Check from "lucide-react/icons/check";
import ChevronDown from "lucide-react/icons/chevron-down";
import Split from "lucide-react/icons/split";
import { answerTextsOf } from "#web/data/answers/edit-answer.ts";
import { useVersions } from "#web/data/answers/versions.ts";
import { join } from "#web/ui/button.tsx";
import { Icon } from "#web/ui/icon.tsx";
import { printNumber, t } from "#web/i18n/translate.ts";
import { firstLine } from "./entries.ts";
import type { Fork } from "./use-outline.ts";
import styles from "./outline.module.css";

type ForkProps = { threadId: string; fork: Fork; tabIndex: number; onChoose(id: string): void };

/** Which version of a message is shown, and below it the list of all when it is open. */
export function ForkEntry(props: ForkProps) {
  const { fork, tabIndex } = props;
  const [isOpen, setOpen] = useState(false);
  const place = { number: fork.siblings.indexOf(fork.id) + 1, count: fork.siblings.length };
  return (
    <div>
      <button
        type="button"
        data-row
        aria-expanded={isOpen}
        tabIndex={tabIndex}
        className={join(styles["entry"], styles["fork"])}
        onClick={() => setOpen(!isOpen)}
      >
        <Icon of={Split} size={13} />
        <span className={styles["words"]}>
          {fork.of === "question" ? t("outline.question", place) : t("outline.answer", place)}
        </span>
        <Icon of={ChevronDown} size={14} />
      </button>
      {isOpen && <Versions {...props} />}
    </div>
  );
}

function Versions({ threadId, fork, tabIndex, onChoose }: ForkProps) {
  const { versions, state, failure, retry } = useVersions(threadId, fork.siblings);
  return (
    <>
      {state === "failed" && (
        <button type="button" data-row tabIndex={tabIndex} className={styles["failed"]} onClick={retry}>
          {failure?.message} {t("action.retry")}
        </button>
      )}
      {state === "loading" && (
        <span role="status" className="visually-hidden">
          {t("outline.versionsLoading")}
        </span>
      )}
      <ol aria-busy={state === "loading"}>
        {fork.siblings.map((id, index) => {
          const row = versions?.get(id);
          const text = row === undefined ? "" : firstLine(answerTextsOf(row).join("\n\n"));
          return (
            <li key={id}>
              <button
                type="button"
                data-row
                data-tip={text}
                aria-current={id === fork.id ? "true" : undefined}
                tabIndex={tabIndex}
                className={join(styles["entry"], styles["version"])}
                onClick={() => onChoose(id)}
              >
                <span className="rigid figures">{printNumber(index + 1)}</span>
                <span dir="auto" className={styles["words"]}>
                  {text || (state === "ready" ? t("outline.noWords") : "…")}
                </span>
                {id === fork.id && <Icon of={Check} size={13} />}
              </button>
            </li>
          );
        })}
      </ol>
    </>
  );
}
