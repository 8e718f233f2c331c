import type { ResponseOf } from "#contract/api.ts";
import { printNumber, t } from "#web/i18n/translate.ts";
import { toolServerProblemText } from "./problem-texts.ts";
import styles from "./tool-servers.module.css";

/** What a tool server offers, what it asks for, and how long it took; or what is wrong. */
export function TestResult({ test }: { test: ResponseOf<"toolServers.test"> }) {
  const { problem, detail, took_ms: tookMs, server, tools, left_out: leftOut } = test;
  if (problem !== null)
    return (
      <>
        <p className={styles["problem"]}>{toolServerProblemText(problem)}</p>
        {detail !== null && (
          <p dir="auto" className={styles["detail"]}>
            {detail}
          </p>
        )}
      </>
    );
  const seconds = printNumber(Math.max(0.1, Math.round(tookMs / 100) / 10));
  return (
    <>
      <p>
        {t("toolServers.answered", { seconds, count: tools.length })}
        {server !== null && (
          <>
            {" "}
            <bdi dir="ltr" className={styles["detail"]}>
              {server.name} {server.version} · MCP {server.protocol}
            </bdi>
          </>
        )}
      </p>
      <ul className={styles["tools"]}>
        {tools.map((tool) => (
          <li key={tool.name}>
            <details>
              <summary>
                <bdi>{tool.title}</bdi>{" "}
                <small>{t(tool.effect === "reads" ? "toolServers.reads" : "toolServers.writes")}</small>
              </summary>
              <p dir="auto">{tool.description}</p>
              <p className={styles["detail"]}>
                {Object.keys((tool.parameters.properties ?? {}) as object).length === 0
                  ? t("toolServers.asksNothing")
                  : t("toolServers.asks")}{" "}
                <bdi dir="ltr">{Object.keys((tool.parameters.properties ?? {}) as object).join(", ")}</bdi>
              </p>
            </details>
          </li>
        ))}
      </ul>
      {leftOut.length > 0 && (
        <p className={styles["detail"]}>
          {t("toolServers.leftOut", { count: leftOut.length })}{" "}
          <bdi dir="ltr">{leftOut.map(({ name }) => name).join(", ")}</bdi>
        </p>
      )}
    </>
  );
}
