import { Link } from "@tanstack/react-router";
import ChevronRight from "lucide-react/icons/chevron-right";
import Plus from "lucide-react/icons/plus";
import { useSignInProviders } from "#web/data/admin/sign-in-providers.ts";
import { Icon } from "#web/ui/icon.tsx";
import { t } from "#web/i18n/translate.ts";
import { ListContent } from "../../list-content.tsx";
import styles from "../../screen.module.css";

/** The providers that people sign in with. */
export function SignInProviders() {
  const list = useSignInProviders();
  return (
    <section aria-labelledby="sign-in-providers">
      <h2 id="sign-in-providers" className={styles["heading"]}>
        {t("signInProviders.title")}
      </h2>
      <p className={styles["about"]}>{t("signInProviders.about")}</p>
      <ListContent
        list={list}
        isEmpty={list.providers.length === 0}
        loadingLabel={t("signInProviders.loading")}
        failedTitle={t("signInProviders.failed")}
        empty={[]}
      >
        <ul className={styles["list"]}>
          {list.providers.map(({ id, name, issuer, people, is_usable: isUsable }) => (
            <li key={id} className={styles["row"]}>
              <Link to="/admin/sign-in/$providerId" params={{ providerId: id }} className={styles["words"]}>
                <bdi className={styles["name"]}>{name}</bdi>
                {!isUsable && (
                  <span className={styles["mark"]} data-tone="loss">
                    {t("signInProviders.secretLost")}
                  </span>
                )}
                <span className={styles["facts"]}>
                  <span dir="ltr">{new URL(issuer).host}</span>
                  <span>{t("signInProviders.people", { count: people })}</span>
                </span>
              </Link>
              <Icon of={ChevronRight} size={16} />
            </li>
          ))}
        </ul>
      </ListContent>
      <div className={styles["adds"]}>
        <Link to="/admin/sign-in/$providerId" params={{ providerId: "new" }} className={styles["add"]}>
          <Icon of={Plus} size={16} />
          {t("signInProvider.new")}
        </Link>
        <Link
          to="/admin/sign-in/$providerId"
          params={{ providerId: "new-directory" }}
          className={styles["add"]}
        >
          <Icon of={Plus} size={16} />
          {t("directory.new")}
        </Link>
      </div>
    </section>
  );
}
