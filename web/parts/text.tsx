import { useGradualText } from "#web/markdown/gradual-text.ts";
import { useRenderer } from "#web/markdown/lazy-markdown.ts";
import type { PartProps } from "./part-view.ts";
import styles from "./parts.module.css";

/** An answer as Markdown, a person's message exactly as typed. */
export function TextView({ part, isRunning, role }: PartProps<"text">) {
  return role === "user" ? (
    <p dir="auto" className="anywhere pre-wrap">
      {part.text}
    </p>
  ) : (
    <Answer text={part.text} isRunning={isRunning} />
  );
}

function Answer({ text, isRunning }: { text: string; isRunning: boolean }) {
  const Markdown = useRenderer();
  const shown = useGradualText(text);
  if (text === "") return null;
  if (Markdown === undefined) {
    return (
      <p dir="auto" className={styles["unformatted"]}>
        {text}
      </p>
    );
  }
  const isPartial = shown.length < text.length;
  return <Markdown text={shown} isRunning={isRunning || isPartial} isWriting={isRunning} />;
}
