import { useEffect } from "react";
import Check from "lucide-react/icons/check";
import CircleAlert from "lucide-react/icons/circle-alert";
import CircleSlash from "lucide-react/icons/circle-slash";
import { artifactTool } from "#contract/artifacts/artifact-call.ts";
import { isJsonObject, type Json, printJson } from "#contract/json.ts";
import { carriedOutArgs } from "#contract/parts/tool-call.ts";
import type { PartOf } from "#contract/parts/kinds.ts";
import { questionTool, parseQuestion } from "#contract/ask-person.ts";
import { Icon } from "#web/ui/icon.tsx";
import { RunningIndicator } from "#web/ui/running-indicator.tsx";
import { createLazyModule } from "#web/ui/lazy-module.ts";
import { ScrollBox } from "#web/ui/scroll-box.tsx";
import { MissingPiece, useLoaded } from "#web/ui/load-failure.tsx";
import { printDuration, t } from "#web/i18n/translate.ts";
import { Disclosure } from "../disclosure.tsx";
import type { PartProps } from "../part-view.ts";
import { TextView } from "../text.tsx";
import { lazyWrittenArtifact } from "./lazy-written-artifact.ts";
import type { ToolRequest } from "./tool-requests.tsx";
import styles from "../parts.module.css";

type ToolCall = PartOf<"tool-call">;
type State = "running" | "done" | "failed" | "stopped" | "denied" | "allowed" | "unknown" | "asked";

const requests = createLazyModule(
  () => import("./tool-requests.tsx"),
  (module) => module.ToolRequestView,
  "parts",
);

/** Loads the cards of tool calls that wait for a person, which most threads do not need. */
export const loadToolRequests = requests.load;

/**
 * A tool call: a line with its name, summary and duration that expands to its arguments and result. What makes an artifact
 * is shown below the line while the model writes it. With the result, the answer has it as a text.
 */
export function ToolCallView({ part, isRunning, isWaiting, toolRequest, nested }: PartProps<"tool-call">) {
  const written = useWritten(part, isRunning);
  if (toolRequest !== undefined) return <RequestOfCall part={part} request={toolRequest} />;
  return (
    <>
      <CallLine
        part={written === undefined ? part : { ...part, args: written.args }}
        isRunning={isRunning}
        isWaiting={isWaiting}
        nested={nested}
      />
      {written?.block !== undefined && (
        <TextView part={{ type: "text", text: written.block }} isRunning role="assistant" />
      )}
    </>
  );
}

/** `undefined` for other calls, and once the call has its result. */
function useWritten(part: ToolCall, isRunning: boolean) {
  const isWritten = isRunning && part.toolName === artifactTool && part.result === undefined;
  const loaded = lazyWrittenArtifact.use();
  useEffect(() => {
    if (isWritten) void lazyWrittenArtifact.load();
  }, [isWritten]);
  return isWritten && typeof loaded === "object" ? loaded.writtenArtifact(part) : undefined;
}

function RequestOfCall({ part, request }: { part: ToolCall; request: ToolRequest }) {
  const ToolRequestView = useLoaded(requests);
  if (requests.use() === "failed") return <MissingPiece module={requests} />;
  if (ToolRequestView === undefined) return <CallLine part={part} isRunning />;
  return <ToolRequestView part={part} request={request} />;
}

function CallLine({
  part,
  isRunning,
  isWaiting = false,
  nested,
}: Pick<PartProps<"tool-call">, "part" | "isRunning" | "isWaiting" | "nested">) {
  const state = stateOf(part, isRunning, isWaiting);
  const name = part.approval?.tool?.title ?? part.toolName;
  const summary = summaryOf(part);
  const durationMs =
    // The time that a person took to answer is not shown.
    part.timing?.completedAt === undefined || state === "asked" || state === "denied"
      ? undefined
      : part.timing.completedAt - part.timing.startedAt;
  return (
    <Disclosure
      tone={state === "failed" ? "danger" : undefined}
      line={
        <>
          <Sign state={state} />
          <span className="medium">{stateText(state, name)}</span>
          {summary !== "" && (
            <span dir={isFromPerson(part) ? "auto" : "ltr"} className={styles["gist"]}>
              {summary}
            </span>
          )}
          {durationMs !== undefined && <span className="ink-faint figures">{printDuration(durationMs)}</span>}
        </>
      }
    >
      <Value label={t("tool.arguments")} text={argumentsOf(part)} />
      <Value
        label={t(part.isError === true ? "tool.error" : "tool.result")}
        text={part.result === undefined ? t("tool.noResult") : textOf(part.result)}
        isError={part.isError === true}
      />
      {part.artifact !== undefined && <Value label={t("tool.artifact")} text={textOf(part.artifact)} />}
      {nested}
    </Disclosure>
  );
}

function Sign({ state }: { state: State }) {
  if (state === "running") return <RunningIndicator tone="waiting" />;
  const drawing =
    state === "done" || state === "allowed" || state === "asked"
      ? Check
      : state === "failed"
        ? CircleAlert
        : CircleSlash;
  return <Icon of={drawing} size={15} />;
}

function Value({ label, text, isError = false }: { label: string; text: string; isError?: boolean }) {
  return (
    <div className={styles["value"]}>
      <span className={styles["valueLabel"]}>{label}</span>
      <ScrollBox
        as="pre"
        dir="ltr"
        label={label}
        data-danger={isError || undefined}
        className={styles["json"]}
      >
        {text}
      </ScrollBox>
    </div>
  );
}

function stateOf(part: ToolCall, isRunning: boolean, isWaiting: boolean): State {
  if (part.approval?.approved === false) return "denied";
  if (part.isError === true) return "failed";
  if (part.result !== undefined) return part.toolName === questionTool ? "asked" : "done";
  if (isRunning) return "running";
  if (part.approval?.approved !== true) return "stopped";
  // The server stopped after the call was allowed: nobody knows what it did.
  return isWaiting ? "allowed" : "unknown";
}

function stateText(state: State, name: string): string {
  switch (state) {
    case "running":
      return t("tool.running", { name });
    case "done":
      return t("tool.done", { name });
    case "failed":
      return t("tool.failed", { name });
    case "stopped":
      return t("tool.stopped", { name });
    case "denied":
      return t("tool.denied", { name });
    case "allowed":
      return t("tool.allowed", { name });
    case "unknown":
      return t("tool.unknown", { name });
    case "asked":
      return t("tool.asked");
  }
}

/** The short values of the arguments, and the result if it is short. */
function summaryOf(part: ToolCall): string {
  if (part.toolName === questionTool) return questionSummary(part);
  if (part.approval?.approved === false && part.approval.reason !== undefined) return part.approval.reason;
  const values = Object.values(carriedOutArgs(part) ?? {})
    .filter((value) => typeof value === "string" || typeof value === "number")
    .filter((value) => String(value).length < 200);
  const asked = values.join(", ");
  const answered = shortResult(part.isError === true ? undefined : part.result);
  if (answered === undefined) return asked;
  return asked === "" ? answered : `${asked} → ${answered}`;
}

/** Whether the summary is text of a person, not of a program. */
function isFromPerson({ toolName, approval }: ToolCall): boolean {
  return toolName === questionTool || approval?.approved === false;
}

function questionSummary({ args, result }: ToolCall): string {
  const question = parseQuestion(args);
  const asked = typeof question === "string" ? "" : question.question;
  if (!isJsonObject(result)) return asked;
  const chosen = Array.isArray(result.chosen) ? result.chosen : [];
  const said = [...chosen, result.said].filter((words) => typeof words === "string").join(", ");
  return `${asked} → ${result.skipped === true ? t("tool.skipped") : said}`;
}

function shortResult(result: Json | undefined): string | undefined {
  if (typeof result === "number" || typeof result === "boolean") return String(result);
  if (typeof result === "string") return result.length <= 80 && !result.includes("\n") ? result : undefined;
  if (typeof result !== "object" || result === null || Array.isArray(result)) return undefined;
  const [only, ...others] = Object.values(result);
  return others.length === 0 && only !== undefined ? shortResult(only) : undefined;
}

function argumentsOf(part: ToolCall): string {
  const args = carriedOutArgs(part);
  if (args !== undefined) return Object.keys(args).length === 0 ? t("tool.noArguments") : printJson(args);
  return part.argsText === "" ? t("tool.noArguments") : part.argsText;
}

function textOf(value: Json): string {
  return typeof value === "string" ? value : printJson(value);
}
