import { useResource } from "#web/data/resource.ts";
import { printDay, t } from "#web/i18n/translate.ts";
import styles from "./data-page.module.css";

/** Tells the person when the server's operator exported what they have. */
export function OperatorExports() {
  const { data } = useResource(["operator exports"], "exports.byOperator", {});
  if (data === undefined || data.exports.length === 0) return null;
  return (
    <div className={styles["row"]}>
      <h2 className="text-3 bold">{t("data.byOperator")}</h2>
      <p className={styles["hint"]}>{t("data.byOperatorHint")}</p>
      <ul className={styles["said"]}>
        {data.exports.map(({ exported_at: at, is_of_everyone: isOfEveryone }) => (
          <li key={at} className="figures">
            {t(isOfEveryone ? "data.byOperatorEveryone" : "data.byOperatorOwn", {
              day: printDay(new Date(at)),
            })}
          </li>
        ))}
      </ul>
    </div>
  );
}
