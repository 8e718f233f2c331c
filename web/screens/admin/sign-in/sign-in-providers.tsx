import { Link } from "@tanstack/react-router";
import ChevronRight from "lucide-react/icons/chevron-right";
import Plus from "lucide-react/icons/plus";
import { useSignInProviders } from "#web/data/admin/sign-in-providers.ts";
import { Icon } from "#web/ui/icon.tsx";
import { t } from "#web/i18n/translate.ts";
import { Rows } from "../../rows.tsx";
import screenStyles from "../../screen.module.css";
import styles from "./sign-in-providers.module.css";

/** The providers that people sign in with. */
export function SignInProviders() {
  const list = useSignInProviders();
  return (
    <section aria-labelledby="sign-in-providers">
      <h2 id="sign-in-providers" className={screenStyles["heading"]}>
        {t("signInProviders.title")}
      </h2>
      <p className={screenStyles["about"]}>{t("signInProviders.about")}</p>
      <Rows
        list={list}
        rows={list.providers}
        loadingLabel={t("signInProviders.loading")}
        failedTitle={t("signInProviders.failed")}
        empty={[]}
      >
        {({ id, name, issuer, people, is_usable: isUsable }) => (
          <li className={screenStyles["row"]}>
            <Link
              to="/admin/sign-in/$providerId"
              params={{ providerId: id }}
              className={screenStyles["words"]}
            >
              <bdi className={screenStyles["name"]}>{name}</bdi>
              {!isUsable && (
                <span className={screenStyles["mark"]} data-tone="danger">
                  {t("signInProviders.secretLost")}
                </span>
              )}
              <span className={screenStyles["facts"]}>
                <span dir="ltr">{new URL(issuer).host}</span>
                <span>{t("signInProviders.people", { count: people })}</span>
              </span>
            </Link>
            <Icon of={ChevronRight} size={16} />
          </li>
        )}
      </Rows>
      <div className={styles["adds"]}>
        <Link to="/admin/sign-in/$providerId" params={{ providerId: "new" }} className={screenStyles["add"]}>
          <Icon of={Plus} size={16} />
          {t("signInProvider.new")}
        </Link>
        <Link
          to="/admin/sign-in/$providerId"
          params={{ providerId: "new-directory" }}
          className={screenStyles["add"]}
        >
          <Icon of={Plus} size={16} />
          {t("directory.new")}
        </Link>
      </div>
    </section>
  );
}
