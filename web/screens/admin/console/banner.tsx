import { Button } from "#web/ui/button.tsx";
import styles from "./console.module.css";

/** Something to know about what is below it, perhaps with a button. */
export function Banner({
  title,
  text,
  tone = "quiet",
  action,
}: {
  title: string;
  text: string;
  tone?: "quiet" | "danger";
  action?: { label: string; run(): void };
}) {
  return (
    <div role={tone === "danger" ? "alert" : "note"} data-tone={tone} className={styles["banner"]}>
      <p>
        <b>{title}</b>
        {text}
      </p>
      {action !== undefined && <Button onClick={action.run}>{action.label}</Button>}
    </div>
  );
}
