import { Button } from "./button.tsx";
import styles from "./notice.module.css";

/** What a place says when it has nothing else to show: empty, missing or failed, and what helps. */
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
  /** For whoever is asked for help, such as a request's id. */
  note?: string | undefined;
  action?: { label: string; run(): void } | undefined;
  tone?: "quiet" | "loss";
  level?: "h1" | "h2";
}) {
  const Title = level;
  return (
    <div role={tone === "loss" ? "alert" : undefined} className={styles["notice"]}>
      <Title className={styles["title"]}>{title}</Title>
      {text !== undefined && <p className={styles["text"]}>{text}</p>}
      {action !== undefined && (
        <Button look="strong" className={styles["action"]} onClick={action.run}>
          {action.label}
        </Button>
      )}
      {note !== undefined && <p className={styles["note"]}>{note}</p>}
    </div>
  );
}
