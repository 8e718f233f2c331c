import type { ReactNode } from "react";
import type { SharePage } from "#contract/parts/share-page.ts";
import { languages, type LanguageTag } from "#web/i18n/languages.ts";
import { printDay, t } from "#web/i18n/translate.ts";
import buttonStyles from "#web/ui/button.module.css";
import { liveScript } from "./live-script.ts";
import styles from "./share.module.css";

type ThreadPage = Extract<SharePage, { kind: "thread" }>;

/** The page of a link, which needs no script. */
export function Document({
  page,
  language,
  styles: sheet,
  basePath,
}: {
  page: SharePage;
  language: LanguageTag;
  styles: string;
  basePath: string;
}) {
  return (
    <html lang={language} dir={languages[language].direction}>
      <head>
        <meta charSet="utf-8" />
        <meta name="viewport" content="width=device-width, initial-scale=1, viewport-fit=cover" />
        <meta name="robots" content="noindex" />
        <meta name="color-scheme" content="light dark" />
        <title>{titleOf(page)}</title>
        {page.kind === "sign-in" && page.retryUrl !== undefined && (
          <meta httpEquiv="refresh" content={`0; url=${page.retryUrl}`} />
        )}
        {page.kind === "thread" && page.preview !== undefined && (
          <Preview title={titleOf(page)} preview={page.preview} />
        )}
        <link rel="icon" href={`${basePath}/favicon.svg`} type="image/svg+xml" />
        <style dangerouslySetInnerHTML={{ __html: sheet }} />
      </head>
      <body>
        {page.kind === "thread" ? <Thread page={page} /> : <Notice page={page} />}
        {page.kind === "thread" && page.liveUrl !== undefined && (
          <script dangerouslySetInnerHTML={{ __html: liveScript }} />
        )}
      </body>
    </html>
  );
}

function titleOf(page: SharePage): string {
  if (page.kind === "thread") return page.title ?? t("thread.untitled");
  return page.kind === "missing" ? t("share.missingTitle") : t("share.lockedTitle");
}

function Preview({ title, preview }: { title: string; preview: NonNullable<ThreadPage["preview"]> }) {
  return (
    <>
      <meta name="description" content={preview.description} />
      <meta property="og:type" content="article" />
      <meta property="og:site_name" content="Parlance" />
      <meta property="og:title" content={title} />
      <meta property="og:description" content={preview.description} />
      <meta property="og:url" content={preview.url} />
    </>
  );
}

function Thread({ page }: { page: ThreadPage }) {
  const day = printDay(new Date(page.sharedAt));
  return (
    <div className={styles["page"]}>
      <header className={styles["head"]}>
        <h1 dir="auto" className={styles["title"]}>
          {titleOf(page)}
        </h1>
        <p className={styles["facts"]}>
          {t(page.liveUrl === undefined ? "share.sharedOn" : "share.liveSince", { day })}
        </p>
        <LinkButton href={page.continueUrl}>{t("share.continue")}</LinkButton>
      </header>
      {page.earlier !== undefined && (
        <p className={styles["more"]}>
          <a href={page.earlier}>{t("thread.earlier")}</a>
        </p>
      )}
      <main
        data-live={page.liveUrl}
        className={styles["messages"]}
        dangerouslySetInnerHTML={{ __html: page.messagesPlaceholder }}
      />
      {page.latest !== undefined && (
        <p className={styles["more"]}>
          <a href={page.latest}>{t("share.latest")}</a>
        </p>
      )}
      <footer className={styles["foot"]}>{t("share.madeWith")}</footer>
    </div>
  );
}

function LinkButton({ href, children }: { href: string; children: ReactNode }) {
  return (
    <a href={href} data-look="secondary" className={`${buttonStyles["button"]} ${styles["button"]}`}>
      {children}
    </a>
  );
}

function Notice({ page }: { page: Exclude<SharePage, ThreadPage> }) {
  return (
    <main className={styles["notice"]}>
      <h1 className={styles["title"]}>{titleOf(page)}</h1>
      {page.kind === "missing" && <p>{t("share.missing")}</p>}
      {page.kind === "unavailable" && <p>{t("share.unavailable")}</p>}
      {page.kind === "busy" && <p>{t("share.busy")}</p>}
      {page.kind === "sign-in" && (
        <>
          <p>{t("share.forMembers")}</p>
          <LinkButton href={page.signInUrl}>{t("account.signIn")}</LinkButton>
        </>
      )}
      {page.kind === "password" && <PasswordForm failure={page.failure} />}
    </main>
  );
}

function PasswordForm({ failure }: { failure: "wrong" | "rate-limited" | undefined }) {
  return (
    <form method="post" className={styles["form"]}>
      <p>{t("share.locked")}</p>
      <label htmlFor="password">{t("share.password")}</label>
      <input
        id="password"
        name="password"
        type="password"
        required
        autoFocus
        autoComplete="off"
        aria-describedby={failure === undefined ? undefined : "failure"}
      />
      {failure !== undefined && (
        <p id="failure" role="alert" className="text-3 danger">
          {t(failure === "wrong" ? "share.wrongPassword" : "share.tooManyTries")}
        </p>
      )}
      <button type="submit" data-look="strong" className={buttonStyles["button"]}>
        {t("share.open")}
      </button>
    </form>
  );
}
