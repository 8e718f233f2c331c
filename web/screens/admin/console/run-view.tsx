import type { ReactNode } from "react";
import { Link } from "@tanstack/react-router";
import type { AppRun } from "#contract/endpoints/apps.ts";
import type { RunSpan } from "#contract/endpoints/traces.ts";
import { useReplayDownload } from "#web/data/console/retention.ts";
import { useAppMessages, useAppRun, useAppScores } from "#web/data/console/console.ts";
import { Button } from "#web/ui/button.tsx";
import { showFailure } from "#web/ui/toast.tsx";
import { printDollars, printDuration, printNumber, printRecent, t } from "#web/i18n/translate.ts";
import { List } from "../../list.tsx";
import { EmptyText, ListContent } from "../../list-content.tsx";
import { BackLink, Page } from "../../page.tsx";
import { Mark } from "../../row.tsx";
import screenStyles from "../../screen.module.css";
import styles from "./console.module.css";
import { Json, MessageList } from "./console-messages.tsx";
import { RunStatusMark } from "./runs-view.tsx";
import { ScoreRow } from "./scores-view.tsx";

/** A run of an app: what is known of it, its messages, its trace and its scores. */
export function RunView({ appId, runId }: { appId: string; runId: string }) {
  const stored = useAppRun(appId, runId);
  const { run } = stored;
  return (
    <Page
      title={t("console.run")}
      above={
        <BackLink to="/admin/apps/$appId/$view" params={{ appId, view: "runs" }}>
          {t("console.runs")}
        </BackLink>
      }
    >
      <ListContent
        list={stored}
        isEmpty={false}
        loadingLabel={t("console.loadingPart")}
        failedTitle={t("console.failedPart")}
      >
        {run !== undefined && (
          <>
            <Facts appId={appId} run={run} />
            <Messages appId={appId} run={run} />
            <Trace spans={run.spans ?? []} />
            <Scores appId={appId} runId={runId} />
            <Replay appId={appId} runId={runId} />
            <Json label={t("console.asData")} value={run} />
          </>
        )}
      </ListContent>
    </Page>
  );
}

function Facts({ appId, run }: { appId: string; run: AppRun }) {
  const { input_tokens: input, output_tokens: output } = run;
  return (
    <dl className={styles["facts"]}>
      <Fact name={t("console.started")}>
        <time dateTime={run.created_at}>{printRecent(new Date(run.created_at), new Date())}</time>
      </Fact>
      <Fact name={t("console.status")}>
        {run.status === "completed" ? t("runStatus.completed") : <RunStatusMark run={run} />}
      </Fact>
      <Fact name={t("console.error")}>{run.error_code}</Fact>
      <Fact name={t("usage.model")}>{run.model_id}</Fact>
      <Fact name={t("console.user")}>{run.created_by}</Fact>
      <Fact name={t("console.thread")}>
        {run.thread_id !== null && (
          <Link
            to="/admin/apps/$appId/$view/$itemId"
            params={{ appId, view: "threads", itemId: run.thread_id }}
            className={styles["inText"]}
          >
            {t("console.openThread")}
          </Link>
        )}
      </Fact>
      <Fact name={t("console.duration")}>{run.duration_ms !== null && printDuration(run.duration_ms)}</Fact>
      <Fact name={t("console.firstToken")}>
        {run.first_token_ms !== null && printDuration(run.first_token_ms)}
      </Fact>
      <Fact name={t("usage.input")}>{input !== null && printNumber(input)}</Fact>
      <Fact name={t("usage.output")}>{output !== null && printNumber(output)}</Fact>
      <Fact name={t("usage.cost")}>{run.cost_usd !== null && printDollars(run.cost_usd)}</Fact>
    </dl>
  );
}

/** Nothing if it is not known. */
function Fact({ name, children }: { name: string; children: ReactNode }) {
  if (children === null || children === false) return null;
  return (
    <div>
      <dt>{name}</dt>
      <dd>{typeof children === "string" ? <bdi>{children}</bdi> : children}</dd>
    </div>
  );
}

/** The answer of the run and the message before it. */
function Messages({ appId, run }: { appId: string; run: AppRun }) {
  const { messages } = useAppMessages(appId, run.message_id === null ? null : run.thread_id);
  const answer = messages.find(({ id }) => id === run.message_id);
  if (answer === undefined) return null;
  return (
    <RunSection title={t("console.messages")}>
      <MessageList messages={messages.filter((each) => each === answer || each.id === answer.parent_id)} />
    </RunSection>
  );
}

function Trace({ spans }: { spans: readonly RunSpan[] }) {
  const end = Math.max(1, ...spans.map((span) => span.end_ms));
  return (
    <RunSection title={t("console.trace")}>
      {spans.length === 0 && <EmptyText lines={[t("console.noTrace"), t("console.noTraceHint")]} />}
      <ol className={styles["spans"]}>
        {spans.map((span) => (
          <li key={span.span_id}>
            <p className={styles["span"]}>
              <bdi dir="ltr">{span.name}</bdi>
              {span.status === "error" && (
                <Mark tone="danger">{span.error_type ?? t("runStatus.error")}</Mark>
              )}
              <span>{printDuration(Math.max(0, span.end_ms - span.start_ms))}</span>
            </p>
            <div aria-hidden="true" className={styles["bar"]}>
              <i
                data-tone={span.status === "error" ? "danger" : undefined}
                style={{
                  insetInlineStart: `${(100 * Math.max(0, span.start_ms)) / end}%`,
                  inlineSize: `${(100 * Math.max(0, span.end_ms - span.start_ms)) / end}%`,
                }}
              />
            </div>
            {span.input !== null && <Json label={t("console.input")} value={span.input} />}
            {span.output !== null && <Json label={t("console.output")} value={span.output} />}
            <Json label={t("console.asData")} value={span} />
          </li>
        ))}
      </ol>
    </RunSection>
  );
}

function Scores({ appId, runId }: { appId: string; runId: string }) {
  const { scores } = useAppScores(appId, { run_id: runId });
  if (scores.length === 0) return null;
  return (
    <RunSection title={t("console.scores")}>
      <List>
        {scores.map((score) => (
          <ScoreRow key={score.id} appId={appId} score={score} />
        ))}
      </List>
    </RunSection>
  );
}

function Replay({ appId, runId }: { appId: string; runId: string }) {
  const download = useReplayDownload(appId, runId);
  return (
    <Button className={styles["replay"]} onClick={() => void download().catch(showFailure)}>
      {t("console.replay")}
    </Button>
  );
}

function RunSection({ title, children }: { title: string; children: ReactNode }) {
  return (
    <section>
      <h2 className={screenStyles["heading"]}>{title}</h2>
      {children}
    </section>
  );
}
