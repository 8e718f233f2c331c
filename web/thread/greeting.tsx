import { useAui } from "@assistant-ui/react";
import { useThreadList } from "#web/data/threads.ts";
import { t, type WordKey } from "#web/words/words.ts";
import styles from "./greeting.module.css";

/** What a new chat begins with: a word of welcome. */
export function Greeting({ hour }: { hour: number }) {
  return (
    <header className={styles["greeting"]}>
      <h1 className={styles["question"]}>{t("greeting.question")}</h1>
      <p className={styles["hello"]}>{t(greetingOf(hour))}</p>
    </header>
  );
}

/** Things to ask that need no language model: the assistant that is built in can answer them. */
const starters = ["starters.percent", "starters.days", "starters.units"] as const satisfies WordKey[];
/** For who has threads already, what is in them is nearer than a sum. */
const laterStarters = ["starters.lately", "starters.days", "starters.units"] as const satisfies WordKey[];

export function Starters() {
  const aui = useAui();
  const { threads } = useThreadList("regular");
  return (
    <ul aria-label={t("starters.label")} className={styles["starters"]}>
      {(threads.length === 0 ? starters : laterStarters).map((key) => (
        <li key={key}>
          <button
            type="button"
            dir="auto"
            className={styles["starter"]}
            onClick={() => aui.thread.append(t(key))}
          >
            {t(key)}
          </button>
        </li>
      ))}
    </ul>
  );
}

function greetingOf(hour: number): WordKey & `greeting.${string}` {
  if (hour < 5) return "greeting.night";
  if (hour < 12) return "greeting.morning";
  if (hour < 18) return "greeting.afternoon";
  return "greeting.evening";
}
