import { Button } from "./button.tsx";
import styles from "./notice.module.css";

/** Replaces content that is empty, missing or failed to load. Offers one action. */
export function Notice({
  title,
  text,
  note,
  action,
  tone = "quiet",
  level = "h2",
}: {
  title: string;
  text?: string | undefined;
  /** Details for support, such as a request id. */
  note?: string | undefined;
  action?: { label: string; run(): void } | undefined;
  tone?: "quiet" | "danger";
  level?: "h1" | "h2";
}) {
  const Title = level;
  return (
    <div role={tone === "danger" ? "alert" : undefined} className={styles["notice"]}>
      <Title className={styles["title"]}>{title}</Title>
      {text !== undefined && <p className={styles["text"]}>{text}</p>}
      {action !== undefined && (
        <Button look="strong" className={styles["action"]} onClick={action.run}>
          {action.label}
        </Button>
      )}
      {note !== undefined && <p className="text-1 ink-faint above-2">{note}</p>}
    </div>
  );
}
