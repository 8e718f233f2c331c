import { type ReactNode, useLayoutEffect, useRef, useState } from "react";
import Hand from "lucide-react/icons/hand";
import { printJson } from "#contract/json.ts";
import { limits } from "#contract/limits.ts";
import type { PartOf } from "#contract/parts/kinds.ts";
import type { Decision, OutgoingToolAnswer } from "#web/data/outbox/tool-answers.ts";
import { Button } from "#web/ui/button.tsx";
import { t } from "#web/i18n/translate.ts";
import { RequestCard, isOpen } from "./request-card.tsx";
import styles from "./tool-requests.module.css";

/** Asks the person to allow or deny a tool call, and shows its arguments. */
export function Approval({
  part,
  given,
  decide,
}: {
  part: PartOf<"tool-call">;
  given: OutgoingToolAnswer | undefined;
  decide(decision: Decision): void;
}) {
  const fields = Object.entries(part.args ?? {});
  return (
    <RequestCard icon={Hand} title={t("ask.approval", { name: part.toolName })} given={given}>
      {fields.length > 0 && (
        <dl className={styles["fields"]}>
          {fields.map(([name, value]) => (
            <div key={name} className={styles["field"]}>
              <dt>{name}</dt>
              <dd dir="auto">{typeof value === "string" ? value : printJson(value)}</dd>
            </div>
          ))}
        </dl>
      )}
      {part.args === undefined && part.argsText !== "" && (
        <pre className={styles["raw"]}>{part.argsText}</pre>
      )}
      {isOpen(given) && <Choices decide={decide} />}
    </RequestCard>
  );
}

function Choices({ decide }: { decide(decision: Decision): void }) {
  const [isDenying, setDenying] = useState(false);
  const denyWhy = useRef<HTMLButtonElement>(null);
  const wasDenying = useRef(false);
  // Going back from the reason returns the focus to the button that opened it.
  useLayoutEffect(() => {
    if (wasDenying.current && !isDenying) denyWhy.current?.focus({ preventScroll: true });
    wasDenying.current = isDenying;
  }, [isDenying]);
  if (isDenying)
    return (
      <Reason
        deny={(reason) => decide({ approved: false, ...(reason === "" ? {} : { reason }) })}
        back={() => setDenying(false)}
      />
    );
  return (
    <Actions>
      <Button look="strong" onClick={() => decide({ approved: true })}>
        {t("ask.allow")}
      </Button>
      <Button onClick={() => decide({ approved: false })}>{t("ask.deny")}</Button>
      <span className={styles["further"]}>
        <Button look="plain" onClick={() => decide({ approved: true, remember: "chat" })}>
          {t("ask.inChat")}
        </Button>
        <Button ref={denyWhy} look="plain" onClick={() => setDenying(true)}>
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
