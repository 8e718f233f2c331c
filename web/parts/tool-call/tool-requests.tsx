import { useId, useState } from "react";
import MessageCircleQuestion from "lucide-react/icons/message-circle-question-mark";
import { isJsonObject, type Json } from "#contract/json.ts";
import type { PartOf } from "#contract/parts/kinds.ts";
import {
  questionLimits,
  questionTool,
  parseQuestion,
  type QuestionAnswer,
  type Question,
} from "#contract/ask-person.ts";
import type { OutgoingToolAnswer } from "#web/data/outbox/tool-answers.ts";
import { useToolAnswer } from "#web/data/outbox/use-tool-answer.ts";
import { Button } from "#web/ui/button.tsx";
import { printList, t } from "#web/i18n/translate.ts";
import { Approval } from "./approval.tsx";
import { RequestCard, isOpen } from "./request-card.tsx";
import styles from "./tool-requests.module.css";

type ToolCall = PartOf<"tool-call">;

/** What a tool call waits for, and in which run. `together`: all calls that wait for an approval, at the first of several. */
export type ToolRequest = { runId: string; needs: "approval" | "result"; together?: readonly string[] };

/** A card for a tool call that waits for the person: to allow or deny it, or to answer it. */
export function ToolRequestView({ part, request }: { part: ToolCall; request: ToolRequest }) {
  const { given, give } = useToolAnswer(request.runId, part.toolCallId);
  if (request.needs === "approval")
    return <Approval part={part} given={given} decide={give} together={request.together} />;
  const question = part.toolName === questionTool ? parseQuestion(part.args) : undefined;
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

function QuestionForm({
  question: { question, choices, several },
  given,
  answer,
}: {
  question: Question;
  given: OutgoingToolAnswer | undefined;
  answer(answer: QuestionAnswer): void;
}) {
  const [chosen, setChosen] = useState<readonly string[]>([]);
  const [said, setSaid] = useState("");
  const name = useId();
  const open = isOpen(given);
  const isReady = chosen.length > 0 || said.trim() !== "";
  return (
    <RequestCard icon={MessageCircleQuestion} title={question} given={given}>
      {given !== undefined && !open && <p className={styles["given"]}>{givenText(given)}</p>}
      {open && (
        <form
          onSubmit={(event) => {
            event.preventDefault();
            if (isReady)
              answer({ chosen: [...chosen], ...(said.trim() === "" ? {} : { said: said.trim() }) });
          }}
        >
          {choices.length > 0 && (
            <fieldset className={styles["choices"]}>
              <legend className="visually-hidden">{t("ask.choices")}</legend>
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
    </RequestCard>
  );
}

/** The chosen answers and the text, as a list. */
function givenText(given: OutgoingToolAnswer): string {
  if (!("result" in given.said) || !isJsonObject(given.said.result)) return "";
  const { chosen, said } = given.said.result;
  return printList(
    [...(Array.isArray(chosen) ? chosen : []), said].filter((words) => typeof words === "string"),
  );
}

function saidOf(answer: QuestionAnswer): Json {
  return "skipped" in answer ? null : (answer.said ?? null);
}
