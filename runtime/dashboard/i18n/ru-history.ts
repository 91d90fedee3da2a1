/** The same keys in Russian, with its plural forms. */
export const ruHistory = {
  "empty.history": "Через admin API ещё ничего не меняли. Изменения файлов — в их системе версий.",
  "history.change": "Изменение {{number}}",
  "history.conflicts_few":
    "Более поздние изменения затронули и {{count}} поля этого. Отмена вернёт их поверх более поздних:",
  "history.conflicts_many":
    "Более поздние изменения затронули и {{count}} полей этого. Отмена вернёт их поверх более поздних:",
  "history.conflicts_one":
    "Более позднее изменение затронуло и {{count}} поле этого. Отмена вернёт его поверх более позднего:",
  "history.conflicts_other":
    "Более поздние изменения затронули и {{count}} поля этого. Отмена вернёт их поверх более поздних:",
  "history.did_adopted": "перенесён в файл",
  "history.did_changed": "изменён",
  "history.did_deleted": "удалён",
  "history.did_expired": "истёк",
  "history.did_made": "создан",
  "history.export": "Экспорт конфигурации",
  "history.export_all": "Все ресурсы",
  "history.export_files": "Те, что в файлах",
  "history.export_store": "Те, что в хранилище",
  "history.export_sets":
    "Секретов в нём нет. Задайте там, где он используется, переменные: {{names}}. Для чего они, сказано в первых строках.",
  "history.exported_few": "В файле {{file}} {{count}} ресурса.",
  "history.exported_many": "В файле {{file}} {{count}} ресурсов.",
  "history.exported_one": "В файле {{file}} {{count}} ресурс.",
  "history.exported_other": "В файле {{file}} {{count}} ресурса.",
  "history.field": "Поле",
  "history.field_after": "после изменения {{number}}",
  "history.field_before": "до него",
  "history.field_now": "сейчас",
  "history.fields": "Поля",
  "history.how":
    "Откройте изменение по имени, чтобы увидеть построчно, что изменилось, и отменить его. Перечитывания файлов в списке нет: их изменения — в системе версий.",
  "history.later":
    "С тех пор ресурс изменился. Более поздние изменения других полей останутся; отмена сделает вот что:",
  "history.no_match": "Подходящих изменений нет.",
  "history.nobody": "шлюз",
  "history.note": "Зачем",
  "history.note_hint": "По желанию: история сохранит это вместе с изменением.",
  "history.nothing": "ничего",
  "history.nothing_left": "С тех пор ресурс изменился, и отменять в нём больше нечего.",
  "history.of_resource": "Его изменения",
  "history.older": "Более ранние",
  "history.only_of": "Изменения {{name}}",
  "history.open": "{{name}}, изменение {{number}}",
  "history.over": "Вернуть поверх более поздних",
  "history.revert": "Отменить это изменение",
  "history.reverts": "отменяет изменение {{number}}",
  "history.search": "Поиск изменений",
  "history.search_hint": "ресурс, ключ, поле или зачем",
  "history.time": "Когда",
  "history.what": "Что",
  "history.who": "Кто",
  "history.whole":
    "С тех пор ресурс удалили или создали заново. Отмена поставит на его место прежнюю версию целиком:",
  "history.why": "Зачем",
  "live.undo_failed": "Не отменено",
  "live.undo_stopped":
    "Отменено {{done}} из {{count}}, дальше — отказ; остальное осталось, как было сохранено. {{reason}}",
  "live.undone": "Отменено, поколение {{generation}}",
};
