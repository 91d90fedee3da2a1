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
  endedTitle: ["Начнём заново", "Let us start over"],
  endedHint: [
    "Задания закончились: прошло слишком много времени или было много неверных ответов. То, что вы ввели на странице, осталось.",
    "The tasks have ended: too much time went by, or too many answers were wrong. What you entered on the page is still there.",
  ],
  startOver: ["Начать заново", "Start over"],
  text: ["Текст", "Text"],
  audio: ["Звук", "Audio"],
  picture: ["Картинка", "Picture"],
  patience: ["Без задания", "Without a puzzle"],
  patienceHint: [
    "Решать ничего не нужно. Браузер сам выполнит вычисления, это займёт около {n} с. Окно можно оставить открытым.",
    "There is nothing to solve. Your browser does some work by itself, for about {n} s. You can leave this window open.",
  ],
  patienceLeft: ["Ещё около {n} с", "About {n} s left"],
  patienceWorks: [
    "Вычисления ещё идут, осталось немного.",
    "Your browser is still working, it will not be long.",
  ],
  patienceUsed: [
    "Из вашей сети этим способом уже воспользовались много раз. Он снова откроется примерно через {n} мин. Можно выбрать другой способ.",
    "Your network has used this way many times. It is open again in about {n} min. You can choose another way.",
  ],
  audioUsed: [
    "Из вашей сети запросили уже много звуковых заданий. Следующее будет примерно через {n} мин. Можно выбрать другой способ.",
    "Your network has been given many sounds. There are more in about {n} min. You can choose another way.",
  ],
  notNow: ["Пока недоступно", "Not open just now"],
  instead: ["Другие способы", "Other ways"],
  test: ["ТЕСТ", "TEST"],

  shapesTitle: ["Нажмите фигуры по порядку", "Pick the shapes in order"],
  shapesHint: [
    "Найдите внизу фигуры с образца: {n}. Они повёрнуты и нарисованы иначе, но частей у них столько же.",
    "Find these {n} shapes below. They are turned and drawn differently, but have as many parts.",
  ],
  strip: ["Образец: фигуры слева направо", "The shapes to find, from left to right"],
  grid: ["Поле с фигурами, 3 ряда по 4", "Field of shapes, 3 rows of 4"],
  cell: ["Ряд {r}, столбец {c}", "Row {r}, column {c}"],
  picked: ["Выбрано {n} из {of}", "{n} of {of} picked"],
  undone: ["Отменено. Выбрано {n} из {of}", "Undone. {n} of {of} picked"],
  undo: ["Отменить", "Undo"],
  pickMore: ["Выберите фигуры по порядку: {n} из {of}.", "Pick {of} shapes in order: so far {n}."],

  ringsTitle: ["Поверните кольца", "Line up the rings"],
  ringsHint: [
    "В середине каждого кольца фигура. Поверните кольцо так, чтобы такая же встала в кружок сверху. Важно, сколько у неё частей, а не цвет и поворот.",
    "Each ring has a shape in its middle. Turn the ring until the same one is in the circle at the top. How many parts it has counts, not its look or turn.",
  ],
  rings: ["Кольца из фигур", "Rings of shapes"],
  ring: ["Кольцо {n}", "Ring {n}"],
  less: ["{ring}: назад на {n}°", "{ring}: {n}° back"],
  more: ["{ring}: вперёд на {n}°", "{ring}: {n}° forward"],
  turnMore: ["Сначала поверните кольца.", "Turn the rings first."],
  // "2 градусов" would be wrong Russian, and a sign has no plural.
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
    "Вы услышите {n} группы сигналов. Введите, сколько сигналов в каждой, например 3 5 2 7. Не считайте стук и звуки, которые скользят вверх или вниз.",
    "You will hear {n} groups of beeps. Type how many are in each, for example 3 5 2 7. Do not count knocks, or sounds that slide up or down.",
  ],
  play: ["Воспроизвести", "Play"],
  replay: ["Воспроизвести снова", "Play again"],
  countField: ["Сколько сигналов в каждой группе", "Beeps in each group"],
  countMore: ["Введите {n} числа: по одному для каждой группы.", "Type {n} numbers, one for each group."],
} satisfies Record<string, readonly [ru: string, en: string]>;

export type TaskText = keyof typeof TEXTS;

export function taskText(
  name: TaskText,
  language: Language,
  values: Readonly<Record<string, string | number>> = {},
): string {
  const text: string = TEXTS[name][language === "ru" ? 0 : 1] ?? "";
  return text.replace(/\{(\w+)\}/g, (_, key: string) => String(values[key] ?? ""));
}
