import { useEffect, useRef, useState } from "react";
import { useThreadContext } from "#web/data/thread-context.ts";
import { useIsRunning, useOpenThread } from "#web/runtime/open-thread.ts";
import { printPercent, t } from "#web/i18n/translate.ts";
import type { AssistantAndModel } from "../use-assistant-and-model.ts";
import { LazyContextList } from "./lazy-context-list.tsx";
import styles from "./context-gauge.module.css";

/** The gauge appears when the branch takes this part of the model's context. */
const shownPart = 0.5;

/** How full the model's context is: a small ring that opens a list. Hidden while there is much room. */
export function ContextGauge({ selection: { assistant, models, model } }: { selection: AssistantAndModel }) {
  const { threadId } = useOpenThread();
  const isRunning = useIsRunning();
  const chosen = models.find(({ id }) => id === model);
  const context = useThreadContext(threadId, { assistantId: assistant?.id, model: chosen }, isRunning);
  const [isOpen, setOpen] = useState(false);
  const box = useRef<HTMLDivElement>(null);
  useEffect(() => {
    if (!isOpen) return undefined;
    const close = ({ target }: Event) => {
      if (target instanceof Node && box.current?.contains(target) !== true) setOpen(false);
    };
    const closeByKey = (event: KeyboardEvent) => {
      if (event.key !== "Escape") return;
      // Not also to stop an answer.
      event.preventDefault();
      setOpen(false);
      box.current?.querySelector("button")?.focus();
    };
    document.addEventListener("keydown", closeByKey);
    document.addEventListener("pointerdown", close);
    document.addEventListener("focusin", close);
    return () => {
      document.removeEventListener("keydown", closeByKey);
      document.removeEventListener("pointerdown", close);
      document.removeEventListener("focusin", close);
    };
  }, [isOpen]);
  const used = context?.budget == null ? 0 : context.tokens / context.budget;
  if (context === undefined || (used < shownPart && !isOpen)) return null;
  const label = t("context.button", { percent: printPercent(used) });
  return (
    <div ref={box} className="rigid relative">
      <button
        type="button"
        aria-label={label}
        aria-expanded={isOpen}
        data-tip={isOpen ? undefined : label}
        className={styles["button"]}
        onClick={() => setOpen(!isOpen)}
      >
        <Ring used={used} />
      </button>
      {isOpen && <LazyContextList context={context} onFailed={() => setOpen(false)} />}
    </div>
  );
}

function Ring({ used }: { used: number }) {
  return (
    <svg viewBox="0 0 20 20" aria-hidden className={styles["ring"]}>
      <circle cx="10" cy="10" r="7.5" pathLength="100" className={styles["track"]} />
      <circle
        cx="10"
        cy="10"
        r="7.5"
        pathLength="100"
        strokeDasharray={`${Math.min(100, used * 100)} 100`}
        className={styles["used"]}
      />
    </svg>
  );
}
