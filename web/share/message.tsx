import ChevronLeft from "lucide-react/icons/chevron-left";
import ChevronRight from "lucide-react/icons/chevron-right";
import File from "lucide-react/icons/file";
import type { ReactElement } from "react";
import type { SharedMessage, SharedPart } from "#contract/parts/share-page.ts";
import { t } from "#web/i18n/translate.ts";
import { allowedPicture, hostOf, safeLink } from "#web/markdown/address.ts";
import { Markdown } from "#web/markdown/markdown.tsx";
import partStyles from "#web/parts/parts.module.css";
import messageStyles from "#web/thread/message.module.css";
import { Icon } from "#web/ui/icon.tsx";
import styles from "./share.module.css";

type PartOf<Type extends SharedPart["type"]> = Extract<SharedPart, { type: Type }>;

/** A message on the page of a link. */
export function Message({
  message,
  path,
  isPlain,
}: {
  message: SharedMessage;
  path: string;
  isPlain: boolean;
}) {
  const { id, role, author, parts, isRunning, isEdited, isCut, branches } = message;
  const isUser = role === "user";
  const attached = isUser ? parts.filter(isAttachment) : [];
  const within = isUser ? parts.filter((part) => !isAttachment(part)) : parts;
  const sources = parts.filter((part) => part.type === "source");
  return (
    <article id={id} className={messageStyles[isUser ? "user" : "assistant"]}>
      <h2 className="visually-hidden">{headingOf(role, author)}</h2>
      {attached.length > 0 && (
        <div className={messageStyles["attached"]}>
          {attached.map((part, i) => (
            <Part key={i} part={part} isMarkdown={false} isRunning={false} />
          ))}
        </div>
      )}
      {(!isUser || within.length > 0) && (
        <div className={isUser ? messageStyles["block"] : messageStyles["parts"]}>
          {within.map((part, i) => (
            <Part key={i} part={part} isMarkdown={!isUser && !isPlain} isRunning={isRunning} />
          ))}
          {isRunning && <p className="text-3 waiting above-3">{t("share.answering")}</p>}
        </div>
      )}
      {isEdited && <p className={styles["facts"]}>{t("answerEdit.byHand")}</p>}
      {isPlain && <p className={styles["facts"]}>{t("share.plain")}</p>}
      {isCut && <p className={styles["facts"]}>{t("share.cut")}</p>}
      {sources.length > 0 && <Sources sources={sources} />}
      {branches !== undefined && <Branches branches={branches} role={role} path={path} />}
    </article>
  );
}

/** Links to the other versions of a message, each with the branch below it. */
function Branches({
  branches: { index, count, previous, next },
  role,
  path,
}: {
  branches: NonNullable<SharedMessage["branches"]>;
  role: SharedMessage["role"];
  path: string;
}) {
  const link = (id: string | undefined, label: string, icon: typeof ChevronLeft) =>
    id === undefined ? (
      <span className={styles["branch"]}>
        <Icon of={icon} size={16} />
      </span>
    ) : (
      <a className={styles["branch"]} href={`${path}?at=${id}#${id}`} aria-label={label}>
        <Icon of={icon} size={16} />
      </a>
    );
  return (
    <nav data-role={role} className={styles["branches"]} aria-label={t("message.branches")}>
      {link(previous, t("message.branchPrevious"), ChevronLeft)}
      <span className="visually-hidden">{t("message.branch", { number: index + 1, count })}</span>
      <span dir="ltr" aria-hidden="true" className="figures">
        {index + 1} / {count}
      </span>
      {link(next, t("message.branchNext"), ChevronRight)}
    </nav>
  );
}

function headingOf(role: SharedMessage["role"], author: string | null): string {
  if (role === "user") return t("share.question");
  return author === null ? t("message.assistant") : t("message.said", { name: author });
}

/** Whether a part is above a person's text. */
const attachments: Record<SharedPart["type"], boolean> = {
  text: false,
  image: true,
  file: true,
  audio: true,
  source: false,
};

function isAttachment({ type }: SharedPart): boolean {
  return attachments[type];
}

function Part({
  part,
  ...props
}: {
  part: SharedPart;
  isMarkdown: boolean;
  isRunning: boolean;
}): ReactElement | null {
  switch (part.type) {
    case "text":
      return <Words text={part.text} {...props} />;
    case "image":
      return <ImageFile part={part} />;
    case "file":
      return <OtherFile part={part} />;
    case "audio":
      return <Audio part={part} />;
    case "source":
      return null;
  }
}

function Words({ text, isMarkdown, isRunning }: { text: string; isMarkdown: boolean; isRunning: boolean }) {
  if (isMarkdown) return <Markdown text={text} isRunning={isRunning} />;
  return (
    <p dir="auto" className="anywhere pre-wrap">
      {text}
    </p>
  );
}

/** No page has this origin, so only addresses under the link and data URLs are shown. */
const nowhere = "https://page.invalid";

function ImageFile({ part: { image, filename = "" } }: { part: PartOf<"image"> }) {
  const isShown = image !== "" && allowedPicture(image, nowhere) !== undefined;
  if (!isShown) return <LeftOut name={filename} />;
  const name = filename === "" ? t("fileKind.image") : filename;
  return <img className={styles["picture"]} src={image} alt={name} loading="lazy" decoding="async" />;
}

function OtherFile({ part: { data, filename = t("fileKind.other") } }: { part: PartOf<"file"> }) {
  if (!data.startsWith("/s/")) return <LeftOut name={filename} />;
  return (
    <a className={partStyles["file"]} href={data} download>
      <Icon of={File} />
      <bdi className="medium one-line">{filename}</bdi>
    </a>
  );
}

/** A file that the link does not share. */
function LeftOut({ name }: { name: string }) {
  return (
    <span className={partStyles["file"]}>
      <Icon of={File} />
      {name !== "" && <bdi className="medium one-line">{name}</bdi>}
      <span className="rigid text-2 ink-faint">{t("share.fileLeftOut")}</span>
    </span>
  );
}

function Audio({ part: { audio } }: { part: PartOf<"audio"> }) {
  if (!/^[a-z0-9+/=]+$/i.test(audio.data)) return null;
  const type = audio.format === "mp3" ? "mpeg" : "wav";
  return <audio className={partStyles["audio"]} controls src={`data:audio/${type};base64,${audio.data}`} />;
}

function Sources({ sources }: { sources: PartOf<"source">[] }) {
  return (
    <ol aria-label={t("sources.label")} className={partStyles["sources"]}>
      {sources.map((source, i) => {
        const href = source.sourceType === "url" ? safeLink(source.url) : undefined;
        if (href === undefined) return null;
        return (
          <li key={i}>
            <a className={partStyles["chip"]} href={href} target="_blank" rel="noopener noreferrer">
              <span className={partStyles["number"]}>{i + 1}</span>
              <span dir="auto" className="one-line">
                {source.title ?? hostOf(href)}
              </span>
            </a>
          </li>
        );
      })}
    </ol>
  );
}
