import { Link } from "@tanstack/react-router";
import Plus from "lucide-react/icons/plus";
import { useSignInProviders } from "#web/data/admin/sign-in-providers.ts";
import { Icon } from "#web/ui/icon.tsx";
import { t } from "#web/i18n/translate.ts";
import { asCode, Mark, Row } from "../../row.tsx";
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
          <Row
            link={to(id)}
            name={name}
            mark={!isUsable && <Mark tone="danger">{t("signInProviders.secretLost")}</Mark>}
            facts={[asCode(new URL(issuer).host), t("signInProviders.people", { count: people })]}
          />
        )}
      </Rows>
      <div className={styles["adds"]}>
        <Link {...to("new")} className={screenStyles["add"]}>
          <Icon of={Plus} size={16} />
          {t("signInProvider.new")}
        </Link>
        <Link {...to("new-directory")} className={screenStyles["add"]}>
          <Icon of={Plus} size={16} />
          {t("directory.new")}
        </Link>
      </div>
    </section>
  );
}

function to(providerId: string) {
  return { to: "/admin/sign-in/$providerId", params: { providerId } } as const;
}
