import type { Language } from "../shared/language.js";

const TEXTS = {
  idle: ["Я не робот", "I am not a robot"],
  scoring: ["Проверяем…", "Checking…"],
  task: ["Выполните задание", "Complete the task"],
  verified: ["Проверка пройдена", "Verified"],
  expired: ["Время вышло. Отметьте ещё раз", "Expired. Please tick again"],
  ended: ["Начнём заново. Отметьте ещё раз", "Starting over. Please tick again"],
  error: ["Повторить", "Try again"],
  off: ["Проверка недоступна", "Check not available"],
  taskSaid: ["Открылось задание", "A task has opened"],
  closed: ["Задание закрыто. Отметьте ещё раз", "The task was closed. Please tick again"],
  test: ["ТЕСТ", "TEST"],
} as const;

export type BoxText = keyof typeof TEXTS;

export const boxText = (name: BoxText, language: Language): string => TEXTS[name][language === "ru" ? 0 : 1];
