import type { Language } from "../shared/language.js";

const TEXTS = {
  loading: ["Готовим задание…", "Preparing the task…"],
  working: ["Ещё немного: готовим задание…", "One moment: preparing the task…"],
  wait: ["Следующее задание через {n} с", "The next task comes in {n} s"],
  wrong: ["Не получилось. Вот новое задание.", "That was not right. Here is a new task."],
  newTask: ["Новое задание. {title}", "New task. {title}"],
  late: ["Время вышло. Вот новое задание.", "Time ran out. Here is a new task."],
  left: ["Осталось {n} с", "{n} s left"],
  over: ["Время вышло: дальше будет новое задание", "Time is up: a new task comes next"],
  leftSaid: [
    "Осталось около {n} секунд, потом будет новое задание",
    "About {n} seconds left, then there is a new task",
  ],
  checking: ["Проверяем ответ…", "Checking your answer…"],
  submit: ["Проверить", "Check"],
  close: ["Закрыть", "Close"],
  another: ["Другое задание", "New task"],
  retry: ["Повторить", "Try again"],
  text: ["Текст", "Text"],
  audio: ["Звук", "Audio"],
  picture: ["Картинка", "Picture"],
  instead: ["Другие способы", "Other ways"],
  test: ["ТЕСТ", "TEST"],

  shapesTitle: ["Нажмите фигуры по порядку", "Pick the shapes in order"],
  shapesHint: [
    "Найдите {n} фигуры с образца. Они могут быть повёрнуты и выглядеть иначе.",
    "Find these {n} shapes below. They may be turned and drawn differently.",
  ],
  strip: ["Образец: фигуры слева направо", "The shapes to find, from left to right"],
  grid: ["Поле с фигурами, 3 ряда по 4", "Field of shapes, 3 rows of 4"],
  cell: ["Ряд {r}, столбец {c}", "Row {r}, column {c}"],
  picked: ["Выбрано {n} из {of}", "{n} of {of} picked"],
  undone: ["Отменено. Выбрано {n} из {of}", "Undone. {n} of {of} picked"],
  undo: ["Отменить", "Undo"],
  pickMore: ["Выберите {of} фигуры по порядку: сейчас {n}.", "Pick {of} shapes in order: so far {n}."],

  ringsTitle: ["Совместите кольца", "Line up the rings"],
  ringsHint: [
    "Поверните оба кольца, чтобы картинка сложилась.",
    "Turn both rings until the picture fits together.",
  ],
  rings: ["Картинка из двух колец вокруг середины", "A picture cut into two rings around its middle"],
  outer: ["Внешнее кольцо", "Outer ring"],
  inner: ["Внутреннее кольцо", "Inner ring"],
  less: ["{ring}: назад на 2°", "{ring}: 2° back"],
  more: ["{ring}: вперёд на 2°", "{ring}: 2° forward"],
  // "2 градусов" would be no Russian, and a sign has no plural.
  degrees: ["{n}°", "{n}°"],

  textTitle: ["Введите буквы", "Type the letters"],
  textHint: [
    "На картинке {n} латинских букв. Регистр не важен.",
    "The picture shows {n} letters. Capitals or not, both are fine.",
  ],
  letters: ["Картинка с искажёнными буквами", "A picture of distorted letters"],
  lettersField: ["Буквы с картинки", "Letters in the picture"],
  typeMore: ["Введите буквы с картинки.", "Type the letters in the picture."],

  audioTitle: ["Сосчитайте сигналы", "Count the beeps"],
  audioHint: [
    "Вы услышите {n} группы сигналов. Введите, сколько сигналов в каждой, например 3 5 2 7. Стук не считайте.",
    "You will hear {n} groups of beeps. Type how many are in each, for example 3 5 2 7. Do not count the knocks.",
  ],
  play: ["Воспроизвести", "Play"],
  replay: ["Воспроизвести снова", "Play again"],
  countField: ["Сколько сигналов в каждой группе", "Beeps in each group"],
  countMore: ["Введите {n} числа: по одному для каждой группы.", "Type {n} numbers, one for each group."],
} satisfies Record<string, readonly [ru: string, en: string]>;

export type TaskText = keyof typeof TEXTS;

/** Words with `{name}` filled in. */
export function taskText(
  name: TaskText,
  language: Language,
  values: Readonly<Record<string, string | number>> = {},
): string {
  const text: string = TEXTS[name][language === "ru" ? 0 : 1] ?? "";
  return text.replace(/\{(\w+)\}/g, (_, key: string) => String(values[key] ?? ""));
}
