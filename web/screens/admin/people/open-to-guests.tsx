import { Link } from "@tanstack/react-router";
import DoorOpen from "lucide-react/icons/door-open";
import { useBudgets } from "#web/data/admin/budgets.ts";
import { useSignInSettings } from "#web/data/admin/people.ts";
import { Icon } from "#web/ui/icon.tsx";
import { t } from "#web/i18n/translate.ts";
import { budgetFacts } from "../budgets/budget-facts.ts";
import styles from "./open-to-guests.module.css";

/** Who can chat without an account now: guests in the web app, and visitors of apps. */
function useOpenness() {
  const { stored } = useSignInSettings();
  return {
    hasGuests: stored?.guests_allowed === true && stored.settings.guests,
    apps: stored?.anonymous_projects ?? [],
  };
}

/** In the bar of the administration while people can chat without an account. Leads to the switch. */
export function OpenToGuestsLink() {
  const { hasGuests, apps } = useOpenness();
  if (!hasGuests && apps.length === 0) return null;
  return (
    <Link to="/admin/$page" params={{ page: hasGuests ? "sign-in" : "apps" }} className={styles["link"]}>
      <Icon of={DoorOpen} size={16} />
      {t(hasGuests ? "openness.title" : "openness.apps")}
    </Link>
  );
}

/** Above the list of people, while others can chat too. Says what limits them, and leads to the switches. */
export function OpenToGuestsNote() {
  const { hasGuests, apps } = useOpenness();
  const guests = useBudgets("").common.find(({ id }) => id === "guests");
  if (!hasGuests && apps.length === 0) return null;
  return (
    <section aria-labelledby="open-to-guests" className={styles["note"]}>
      <h2 id="open-to-guests">
        <Icon of={DoorOpen} size={16} />
        {t(hasGuests ? "openness.title" : "openness.apps")}
      </h2>
      {hasGuests && (
        <>
          <p>
            {t("openness.about")}{" "}
            {guests !== undefined &&
              (guests.limits === null
                ? t("openness.unlimited")
                : t("openness.budget", {
                    budget: budgetFacts(guests.limits, guests.used ?? undefined).join("; "),
                  }))}
          </p>
          <p className={styles["actions"]}>
            <Link to="/admin/$page" params={{ page: "sign-in" }}>
              {t("openness.change")}
            </Link>
            <Link to="/admin/$page" params={{ page: "limits" }}>
              {t("budgets.title")}
            </Link>
          </p>
        </>
      )}
      {apps.length > 0 && (
        <>
          <p>{t("openness.aboutApps")}</p>
          <p className={styles["actions"]}>
            {apps.map(({ id, name, has_budget: hasBudget }) => (
              <span key={id}>
                <Link to="/admin/apps/$appId/$view" params={{ appId: id, view: "access" }}>
                  <bdi>{name}</bdi>
                </Link>{" "}
                {!hasBudget && t("openness.noBudget")}
              </span>
            ))}
          </p>
        </>
      )}
    </section>
  );
}
