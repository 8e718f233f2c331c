import type { Context, ContextKind } from "#contract/endpoints/summaries.ts";
import { useIsRunning, useOpenThread } from "#web/runtime/open-thread.ts";
import { Button } from "#web/ui/button.tsx";
import { RunningIndicator } from "#web/ui/running-indicator.tsx";
import { useBusy } from "#web/ui/use-busy.ts";
import { printNumber, t } from "#web/i18n/translate.ts";
import styles from "./context-gauge.module.css";

const names = {
  instructions: "context.instructions",
  tools: "context.tools",
  summary: "context.summary",
  messages: "context.messages",
  files: "context.files",
} as const satisfies Record<ContextKind, string>;

/** What takes up the context, and a button that summarizes earlier messages. */
export function ContextList({ context }: { context: Context }) {
  const { summaries } = useOpenThread();
  const isRunning = useIsRunning();
  const { isBusy, run } = useBusy();
  const total = { tokens: context.tokens, budget: context.budget ?? 0 };
  return (
    <section aria-label={t("context.title")} className={styles["panel"]}>
      <h2 className={styles["title"]}>{t("context.title")}</h2>
      <dl className={styles["list"]}>
        {context.parts.map(({ kind, tokens }) => (
          <div key={kind}>
            <dt>{t(names[kind])}</dt>
            <dd>{printNumber(tokens)}</dd>
          </div>
        ))}
      </dl>
      <p className={styles["total"]}>
        {t(context.is_estimate ? "context.totalAbout" : "context.total", total)}
      </p>
      <p className={styles["hint"]}>{t("context.hint")}</p>
      {context.can_compact && (
        <Button disabled={isBusy || isRunning} onClick={() => run(summaries.create)}>
          {isBusy && <RunningIndicator />}
          {t(isBusy ? "summary.creating" : "summary.create")}
        </Button>
      )}
    </section>
  );
}
