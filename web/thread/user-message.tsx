import { useLayoutEffect, useRef, useState } from "react";
import { useAuiState } from "@assistant-ui/react";
import { isPartKind } from "#contract/parts/kinds.ts";
import { useMessageFacts } from "#web/data/threads/message-facts-context.ts";
import { partViews } from "#web/parts/part-views.ts";
import { observeSize } from "#web/lib/observe-size.ts";
import { useOpenThread } from "#web/runtime/open-thread.ts";
import { Button } from "#web/ui/button.tsx";
import { t } from "#web/i18n/translate.ts";
import { AskerName } from "./people/asker-name.tsx";
import { EditMessage } from "./edit-message.tsx";
import { MessageActions } from "./actions/message-actions.tsx";
import { MessageParts } from "./message-content.tsx";
import { FailureNotice } from "./failure-notice.tsx";
import styles from "./message.module.css";

/** A person's words: a soft block to the right. `position`: the number of messages above it. */
export function UserMessage({ position }: { position: number }) {
  const id = useAuiState((s) => s.message.id);
  const isEditing = useAuiState((s) => s.message.composer.isEditing);
  const asker = useMessageFacts(id)?.asker;
  return (
    <article data-message-id={id} data-position={position} className={styles["user"]}>
      {asker === undefined ? (
        <h2 className="visually-hidden">{t("message.you")}</h2>
      ) : (
        <AskerName asker={asker} />
      )}
      {isEditing ? <EditMessage id={id} /> : <MessageContent id={id} />}
    </article>
  );
}

function MessageContent({ id }: { id: string }) {
  const reply = useMessageFacts(id);
  const { retrySend: sendAgain } = useOpenThread();
  const isUnsent = reply?.sendState === "failed";
  // Sent automatically when a run ends, so this is not shown as an error.
  const isEarly = reply?.failure?.code === "too-many-runs";
  const hasWords = useAuiState((s) => s.message.parts.some(({ type }) => isNotAttached(type)));
  return (
    <>
      <MessageParts role="user" only={isAttached} className={styles["attached"]} />
      {hasWords && (
        <div data-unsent={(isUnsent && !isEarly) || undefined} className={styles["block"]}>
          <Clamped>
            <MessageParts role="user" only={isNotAttached} />
          </Clamped>
        </div>
      )}
      {isUnsent ? (
        <FailureNotice
          side="end"
          tone={isEarly ? "quiet" : "danger"}
          text={isEarly ? t("failure.tooManyRuns") : (reply.failure?.message ?? t("reply.unsent"))}
          requestId={isEarly ? undefined : reply.failure?.requestId}
          action={{ label: t("reply.sendAgain"), run: () => sendAgain(id) }}
        />
      ) : (
        <MessageActions role="user" />
      )}
    </>
  );
}

/** Attachments are above the words. They are never cut with them. */
function isAttached(type: string): boolean {
  return isPartKind(type) && partViews[type].inUserMessage === "above";
}

function isNotAttached(type: string): boolean {
  return !isAttached(type);
}

/** Cuts long text to some lines until the user expands it. */
function Clamped({ children }: { children: React.ReactNode }) {
  const box = useRef<HTMLDivElement>(null);
  const [isLong, setLong] = useState(false);
  const [isOpen, setOpen] = useState(false);
  useLayoutEffect(() => {
    const element = box.current;
    if (element === null) return undefined;
    return observeSize([element], () => setLong(element.scrollHeight > element.clientHeight + 1 || isOpen));
  }, [isOpen]);
  return (
    <>
      <div
        ref={box}
        className={styles["clamp"]}
        data-open={isOpen || undefined}
        data-cut={(isLong && !isOpen) || undefined}
      >
        {children}
      </div>
      {isLong && (
        <Button
          look="plain"
          aria-expanded={isOpen}
          className={styles["all"]}
          onClick={() => setOpen(!isOpen)}
        >
          {t(isOpen ? "message.less" : "message.more")}
        </Button>
      )}
    </>
  );
}
