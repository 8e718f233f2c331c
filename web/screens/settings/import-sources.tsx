import { t } from "#web/i18n/translate.ts";
import styles from "./import-report.module.css";

/** The products whose exports can be imported, and where each of them has its export. */
export function ImportSources() {
  return (
    <details className={`${styles["folded"]} text-3`}>
      <summary>{t("data.sources")}</summary>
      <dl className={styles["sources"]}>
        {sources.map(([name, key]) => (
          <div key={name}>
            <dt className="ink bold" dir="auto">
              {name}
            </dt>
            <dd>{t(key)}</dd>
          </div>
        ))}
      </dl>
    </details>
  );
}

const sources = [
  ["Parlance", "data.fromParlance"],
  ["ChatGPT", "data.fromChatGpt"],
  ["Claude", "data.fromClaude"],
  ["Open WebUI", "data.fromOpenWebUi"],
  ["LibreChat", "data.fromLibreChat"],
  ["LobeChat", "data.fromLobeChat"],
  ["HuggingChat", "data.fromHuggingChat"],
  ["Gemini", "data.fromGemini"],
  ["DeepSeek", "data.fromDeepSeek"],
  ["Le Chat", "data.fromLeChat"],
] as const;
