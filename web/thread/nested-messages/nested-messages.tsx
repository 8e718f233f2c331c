import type { ComponentType } from "react";
import { isJsonObject, type Json, type JsonObject } from "#contract/json.ts";
import type { PartKind } from "#contract/parts/kinds.ts";
import { readStored } from "#contract/parts/stored.ts";
import { ArtifactOpenerContext } from "#web/markdown/code/artifact-opener-context.ts";
import { SourceMarksContext } from "#web/markdown/source-marks-context.ts";
import type { PartProps } from "#web/parts/part-view.ts";
import { partViews } from "#web/parts/part-views.ts";
import { Sources } from "#web/parts/source.tsx";
import { t } from "#web/i18n/translate.ts";
import styles from "./nested-messages.module.css";

const labels = { user: "nested.user", assistant: "nested.assistant", system: "nested.system" } as const;

/** The messages that another agent exchanged to answer a tool call. Their artifacts and sources are not those of the answer. */
export function NestedMessages({ messages }: { messages: Json }) {
  const readable = Array.isArray(messages) ? messages.filter(isJsonObject) : [];
  if (readable.length === 0) return null;
  return (
    <ArtifactOpenerContext value={undefined}>
      <SourceMarksContext value={undefined}>
        <ol aria-label={t("nested.label")} className={styles["messages"]}>
          {readable.map((message, i) => (
            <Message key={i} message={message} />
          ))}
        </ol>
      </SourceMarksContext>
    </ArtifactOpenerContext>
  );
}

function Message({ message }: { message: JsonObject }) {
  const { parts, attached } = readStored("aui/v0", message);
  const all = [...attached.flatMap((one) => one.parts), ...parts];
  const role = message["role"] === "user" || message["role"] === "system" ? message["role"] : "assistant";
  return (
    <li>
      <p className={styles["role"]}>{t(labels[role])}</p>
      <div className="grid shrink gap-3">
        {all.map((part, i) => {
          // The list pairs each kind with its own props; TypeScript cannot follow the pair through the lookup.
          const View = partViews[part.type].View as ComponentType<PartProps<PartKind>>;
          return (
            <View
              key={i}
              part={part}
              isRunning={false}
              role={role === "assistant" ? "assistant" : "user"}
              nested={
                part.type === "tool-call" &&
                part.messages !== undefined && <NestedMessages messages={part.messages} />
              }
            />
          );
        })}
        <Sources sources={parts.filter((part) => part.type === "source")} />
      </div>
    </li>
  );
}
