import { useState } from "react";
import type { Message } from "#contract/endpoints/messages.ts";
import { isJsonObject, printJson } from "#contract/json.ts";
import { ScrollBox } from "#web/ui/scroll-box.tsx";
import { printRecent, t } from "#web/i18n/translate.ts";
import styles from "./console.module.css";

/** Messages as data: their text, and everything else as JSON. */
export function MessageList({ messages }: { messages: readonly Message[] }) {
  return (
    <ol className={styles["messages"]}>
      {messages.map((message) => (
        <li key={message.id}>
          <p className={styles["messageHead"]}>
            <b>{roleOf(message)}</b>
            <time dateTime={message.created_at}>{printRecent(new Date(message.created_at), new Date())}</time>
          </p>
          {textsOf(message).map((text, index) => (
            <p key={index} dir="auto" className={styles["text"]}>
              {text}
            </p>
          ))}
          <Json
            label={t("console.asData")}
            value={{ id: message.id, parent_id: message.parent_id, content: message.content }}
          />
        </li>
      ))}
    </ol>
  );
}

/** A value that opens as JSON. */
export function Json({ label, value }: { label: string; value: unknown }) {
  const [isOpen, setOpen] = useState(false);
  return (
    <details className={styles["data"]} onToggle={(event) => setOpen(event.currentTarget.open)}>
      <summary>{label}</summary>
      {isOpen && (
        <ScrollBox as="pre" label={label} dir="ltr">
          {typeof value === "string" ? value : printJson(value)}
        </ScrollBox>
      )}
    </details>
  );
}

function roleOf({ content }: Message): string {
  const { role } = content;
  if (role === "user" || role === "assistant" || role === "system") return t(`messageRole.${role}`);
  return typeof role === "string" ? role : t("messageRole.other");
}

/** The text of its parts, in the formats that have `content` or `parts`. */
function textsOf({ content }: Message): string[] {
  const parts = content["content"] ?? content["parts"];
  if (typeof parts === "string") return [parts];
  if (!Array.isArray(parts)) return [];
  return parts.flatMap((part: unknown) =>
    isJsonObject(part) && part["type"] === "text" && typeof part["text"] === "string" ? [part["text"]] : [],
  );
}
