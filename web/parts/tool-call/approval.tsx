import { type ReactNode, useLayoutEffect, useRef, useState } from "react";
import Hand from "lucide-react/icons/hand";
import { type Json, type JsonObject, printJson } from "#contract/json.ts";
import { limits } from "#contract/limits.ts";
import type { PartOf } from "#contract/parts/kinds.ts";
import type { AskedTool } from "#contract/parts/tool-call.ts";
import type { Decision, OutgoingToolAnswer } from "#web/data/outbox/tool-answers.ts";
import { Button } from "#web/ui/button.tsx";
import { printList, t } from "#web/i18n/translate.ts";
import { ArgumentsForm } from "./arguments-form.tsx";
import { RequestCard, isOpen } from "./request-card.tsx";
import styles from "./tool-requests.module.css";

type Decide = (decision: Decision, toolCallIds?: readonly string[]) => void;

/**
 * Asks the person to allow or deny a tool call: says what happens and where it goes, and shows the arguments and how they
 * differ from the last call. `together`: all calls that wait with it.
 */
export function Approval({
  part,
  given,
  decide,
  together,
}: {
  part: PartOf<"tool-call">;
  given: OutgoingToolAnswer | undefined;
  decide: Decide;
  together: readonly string[] | undefined;
}) {
  const [state, setState] = useState<"choosing" | "changing" | "denying">("choosing");
  const opener = useRef<HTMLElement | null>(null);
  const { args, approval } = part;
  const tool = approval?.tool;
  // Going back returns the focus to the button that opened the form.
  useLayoutEffect(() => {
    if (state === "choosing" && opener.current !== null) {
      opener.current.focus({ preventScroll: true });
      opener.current = null;
    }
  }, [state]);
  const open = isOpen(given);
  const back = () => setState("choosing");
  return (
    <RequestCard icon={Hand} title={t("ask.approval", { name: tool?.title ?? part.toolName })} given={given}>
      {tool !== undefined && <Consequences tool={tool} />}
      {open && state === "changing" ? (
        <ArgumentsForm
          args={args ?? {}}
          allow={(changed) => decide({ approved: true, ...(changed && { args: changed }) })}
          back={back}
        />
      ) : (
        <Arguments args={args} last={tool?.lastArgs} />
      )}
      {args === undefined && part.argsText !== "" && <pre className={styles["raw"]}>{part.argsText}</pre>}
      {open && state === "denying" && (
        <Reason
          deny={(reason) => decide({ approved: false, ...(reason === "" ? {} : { reason }) })}
          back={back}
        />
      )}
      {open && (
        <div hidden={state !== "choosing"}>
          <Choices
            decide={decide}
            together={together}
            canChange={args !== undefined && Object.keys(args).length > 0}
            show={(next, button) => {
              opener.current = button;
              setState(next);
            }}
          />
        </div>
      )}
    </RequestCard>
  );
}

/** What will happen, in words, and why the person is asked although they allowed the tool before. */
function Consequences({ tool: { effect, sendsTo: place, strangers, isChanged } }: { tool: AskedTool }) {
  const words =
    place === undefined
      ? t(effect === "writes" ? "ask.writes" : "ask.reads")
      : t(effect === "writes" ? "ask.writesAt" : "ask.sendsTo", { place });
  return (
    <>
      <p className={styles["what"]}>{words}</p>
      {isChanged === true && <p className={styles["why"]}>{t("ask.changedTool")}</p>}
      {strangers !== undefined && (
        <p className={styles["why"]}>{t("ask.strangers", { names: printList(strangers) })}</p>
      )}
    </>
  );
}

function Arguments({ args = {}, last }: { args: JsonObject | undefined; last: JsonObject | undefined }) {
  const fields = Object.entries(args);
  if (fields.length === 0) return null;
  return (
    <dl className={styles["fields"]}>
      {fields.map(([name, value]) => (
        <div key={name} className={styles["field"]}>
          <dt>{name}</dt>
          <dd dir="auto">
            {textOf(value)}
            {last !== undefined && textOf(last[name]) !== textOf(value) && (
              <span className={styles["was"]}>
                {last[name] === undefined ? t("ask.wasNothing") : t("ask.was", { value: textOf(last[name]) })}
              </span>
            )}
          </dd>
        </div>
      ))}
    </dl>
  );
}

function textOf(value: Json | undefined): string {
  return typeof value === "string" ? value : printJson(value);
}

function Choices({
  decide,
  together,
  canChange,
  show,
}: {
  decide: Decide;
  together: readonly string[] | undefined;
  canChange: boolean;
  show(form: "changing" | "denying", button: HTMLElement): void;
}) {
  return (
    <Actions>
      <Button look="strong" onClick={() => decide({ approved: true })}>
        {t("ask.allow")}
      </Button>
      <Button onClick={() => decide({ approved: false })}>{t("ask.deny")}</Button>
      {together !== undefined && (
        <Button onClick={() => decide({ approved: true }, together)}>
          {t("ask.allowAll", { count: together.length })}
        </Button>
      )}
      <span className={styles["further"]}>
        <Button look="plain" onClick={() => decide({ approved: true, remember: "chat" })}>
          {t("ask.inChat")}
        </Button>
        <Button look="plain" onClick={() => decide({ approved: true, remember: "always" })}>
          {t("ask.always")}
        </Button>
        {canChange && (
          <Button look="plain" onClick={(event) => show("changing", event.currentTarget)}>
            {t("ask.change")}
          </Button>
        )}
        <Button look="plain" onClick={(event) => show("denying", event.currentTarget)}>
          {t("ask.denyWhy")}
        </Button>
      </span>
    </Actions>
  );
}

function Reason({ deny, back }: { deny(reason: string): void; back(): void }) {
  const [reason, setReason] = useState("");
  const field = useRef<HTMLTextAreaElement>(null);
  useLayoutEffect(() => field.current?.focus({ preventScroll: true }), []);
  return (
    <form
      onSubmit={(event) => {
        event.preventDefault();
        deny(reason.trim());
      }}
    >
      <textarea
        ref={field}
        rows={1}
        dir={reason === "" ? undefined : "auto"}
        value={reason}
        maxLength={limits.reasonCharacters}
        aria-label={t("ask.reason")}
        placeholder={t("ask.reason")}
        className={styles["said"]}
        onChange={(event) => setReason(event.currentTarget.value)}
        onKeyDown={(event) => {
          if (event.nativeEvent.isComposing) return;
          if (event.key === "Escape") {
            event.preventDefault();
            event.stopPropagation();
            back();
          } else if (event.key === "Enter" && !event.shiftKey) {
            event.preventDefault();
            event.currentTarget.form?.requestSubmit();
          }
        }}
      />
      <Actions>
        <Button type="submit" look="strong">
          {t("ask.deny")}
        </Button>
        <Button look="plain" onClick={back}>
          {t("ask.back")}
        </Button>
      </Actions>
    </form>
  );
}

function Actions({ children }: { children: ReactNode }) {
  return <div className={styles["actions"]}>{children}</div>;
}
