import { type ReactNode, useEffect, useId, useRef, useState } from "react";
import type { LucideIcon } from "lucide-react";
import Hand from "lucide-react/icons/hand";
import MessageCircleQuestion from "lucide-react/icons/message-circle-question-mark";
import { isJsonObject, type Json } from "#contract/json.ts";
import type { PartOf } from "#contract/parts/kinds.ts";
import {
  questionLimits,
  questionTool,
  readQuestion,
  type Answer,
  type Question,
} from "#contract/question.ts";
import type { OutgoingAnswer } from "#web/data/answers.ts";
import { inWords } from "#web/data/failure.ts";
import { useAnswer } from "#web/data/use-answer.ts";
import { Button } from "#web/ui/button.tsx";
import { Icon } from "#web/ui/icon.tsx";
import { printList, t } from "#web/words/words.ts";
import styles from "./asks.module.css";

type ToolCall = PartOf<"tool-call">;

/** What a tool call waits for, and in which run. */
export type Asked = { runId: string; wants: "approval" | "result" };

/** A tool call that waits for the person: a card in its place, to allow or deny it, or to answer it. */
export function AskView({ part, asked }: { part: ToolCall; asked: Asked }) {
  const { given, give } = useAnswer(asked.runId, part.toolCallId);
  if (asked.wants === "approval")
    return <Approval part={part} given={given} decide={(approved) => give({ approved })} />;
  const question = part.toolName === questionTool ? readQuestion(part.args) : undefined;
  return (
    <QuestionForm
      question={
        typeof question === "object"
          ? question
          : { question: t("ask.answerFor", { name: part.toolName }), choices: [], several: false }
      }
      given={given}
      answer={(answer) => give({ result: typeof question === "object" ? answer : saidOf(answer) })}
    />
  );
}

function Approval({
  part,
  given,
  decide,
}: {
  part: ToolCall;
  given: OutgoingAnswer | undefined;
  decide(approved: boolean): void;
}) {
  const isOpen = given === undefined || given.state === "failed";
  const fields = Object.entries(part.args ?? {});
  return (
    <Card icon={Hand} title={t("ask.approval", { name: part.toolName })} given={given}>
      {fields.length > 0 && (
        <dl className={styles["fields"]}>
          {fields.map(([name, value]) => (
            <div key={name} className={styles["field"]}>
              <dt>{name}</dt>
              <dd dir="auto">{typeof value === "string" ? value : JSON.stringify(value, undefined, 2)}</dd>
            </div>
          ))}
        </dl>
      )}
      {part.args === undefined && part.argsText !== "" && (
        <pre className={styles["raw"]}>{part.argsText}</pre>
      )}
      {isOpen && (
        <div className={styles["actions"]}>
          <Button look="strong" onClick={() => decide(true)}>
            {t("ask.allow")}
          </Button>
          <Button onClick={() => decide(false)}>{t("ask.deny")}</Button>
        </div>
      )}
    </Card>
  );
}

function QuestionForm({
  question: { question, choices, several },
  given,
  answer,
}: {
  question: Question;
  given: OutgoingAnswer | undefined;
  answer(answer: Answer): void;
}) {
  const [chosen, setChosen] = useState<readonly string[]>([]);
  const [said, setSaid] = useState("");
  const name = useId();
  const isOpen = given === undefined || given.state === "failed";
  const isReady = chosen.length > 0 || said.trim() !== "";
  return (
    <Card icon={MessageCircleQuestion} title={question} given={given}>
      {!isOpen && <p className={styles["given"]}>{answerOf(given)}</p>}
      {isOpen && (
        <form
          onSubmit={(event) => {
            event.preventDefault();
            if (isReady)
              answer({ chosen: [...chosen], ...(said.trim() === "" ? {} : { said: said.trim() }) });
          }}
        >
          {choices.length > 0 && (
            <fieldset className={styles["choices"]}>
              <legend className="unseen">{t("ask.choices")}</legend>
              {choices.map((choice) => (
                <label key={choice} className={styles["choice"]}>
                  <input
                    type={several ? "checkbox" : "radio"}
                    name={name}
                    checked={chosen.includes(choice)}
                    onChange={(event) => {
                      const others = several ? chosen.filter((other) => other !== choice) : [];
                      setChosen(event.currentTarget.checked ? [...others, choice] : others);
                    }}
                  />
                  <span dir="auto">{choice}</span>
                </label>
              ))}
            </fieldset>
          )}
          <textarea
            rows={1}
            dir={said === "" ? undefined : "auto"}
            value={said}
            maxLength={questionLimits.said}
            aria-label={t(choices.length > 0 ? "ask.else" : "ask.answerLabel")}
            placeholder={t(choices.length > 0 ? "ask.else" : "ask.answerLabel")}
            className={styles["said"]}
            onChange={(event) => setSaid(event.currentTarget.value)}
            onKeyDown={(event) => {
              if (event.key !== "Enter" || event.shiftKey || event.nativeEvent.isComposing) return;
              event.preventDefault();
              event.currentTarget.form?.requestSubmit();
            }}
          />
          <div className={styles["actions"]}>
            <Button type="submit" look="strong" disabled={!isReady}>
              {t("ask.answer")}
            </Button>
            <Button look="plain" onClick={() => answer({ skipped: true })}>
              {t("ask.skip")}
            </Button>
          </div>
        </form>
      )}
    </Card>
  );
}

function Card({
  icon,
  title,
  given,
  children,
}: {
  icon: LucideIcon;
  title: string;
  given: OutgoingAnswer | undefined;
  children: ReactNode;
}) {
  const titleId = useId();
  const card = useRef<HTMLElement>(null);
  const state = given?.state;
  // What was pressed is gone; one goes on from the card, which says what became of it.
  useEffect(() => {
    if (state === "sending" && isFocusLost()) card.current?.focus({ preventScroll: true });
  }, [state]);
  return (
    <section
      ref={card}
      tabIndex={-1}
      aria-labelledby={titleId}
      data-asks={state ?? "open"}
      className={styles["card"]}
    >
      <p id={titleId} dir="auto" className={styles["title"]}>
        <span className={styles["sign"]}>
          <Icon of={icon} size={17} />
        </span>
        {title}
      </p>
      {children}
      <p role="status" data-loss={state === "failed" || undefined} className={styles["note"]}>
        {given !== undefined && noteOf(given)}
      </p>
    </section>
  );
}

/** What was chosen and said, in the words of the page. */
function answerOf(given: OutgoingAnswer): string {
  if (!("result" in given.said) || !isJsonObject(given.said.result)) return "";
  const { chosen, said } = given.said.result;
  return printList(
    [...(Array.isArray(chosen) ? chosen : []), said].filter((words) => typeof words === "string"),
  );
}

function noteOf({ state, said, failure }: OutgoingAnswer): string {
  if (state === "failed") return failure === undefined ? t("failure.unexpected") : inWords(failure).message;
  if (state === "kept") return t("ask.kept");
  if ("approved" in said) return t(said.approved ? "ask.allowed" : "ask.denied");
  return t("ask.answered");
}

function saidOf(answer: Answer): Json {
  return "skipped" in answer ? null : (answer.said ?? null);
}

function isFocusLost(): boolean {
  return document.activeElement === null || document.activeElement === document.body;
}
